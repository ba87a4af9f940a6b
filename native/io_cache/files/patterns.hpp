// Which files the cache takes: those whose absolute names match one of the patterns.
#pragma once

#include <cstddef>

namespace clearway::io_cache {

// From CLEARWAY_IO_CACHE_FILES, globs separated by colons; without it the folders that programs write scratch files to.
// Once, before the first question.
void read_patterns();

// `path` as a program names it, relative to `directory` (AT_FDCWD: the working directory).
bool is_chosen(int directory, const char* path);

// Whether it is an engine's own scratch, by the folders and names that engines give it; chosen or not.
bool is_own_scratch(int directory, const char* path);

// The parts that have no settings, for tests. A '*' goes across slashes; a pattern without a slash is held against the
// last part of the name.
bool matches(const char* pattern, const char* path);

}  // namespace clearway::io_cache
