// More than one way to have a file open, over the one open file description that the kernel has of it.
#pragma once

#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

// Whether there is what the next two need: some containers hide /proc.
bool can_open_again();

// One at the file as `open` has it: ours, or, where that had to go, one of the program's.
int descriptor_at(const OpenFile& open, const CachedFile& file);

// Opens the file once more, as the program opened `open`, and puts that behind all its descriptors. Where the table is
// full it takes the place of our own descriptor, which is -1 then. False: it may not be opened so any more (its mode
// changed, or we did), and everything is as before.
bool reopen_descriptors(const OpenFile& open, CachedFile& file);

// A descriptor of the program's gets an open file description of exactly `flags`, where ours was wider.
void reopen_with_flags(int fd, int flags);

// The lowest free descriptor for the program, at the file that is in the cache; -1 and errno.
int dup_for_program(const CachedFile& file, int flags);

// One for ourselves, out of the way of programs that count on low numbers or close all there are.
int dup_for_cache(int fd);
bool is_cache_descriptor(int fd);

}  // namespace clearway::io_cache
