// When a cached file is written back: its bytes, its size and its times on disk are then what a plain program would
// have left.
//
// The rule: whenever another process, or a path of the kernel that we do not see, could look at a file, it is so.
// A lease tells us of those who open it. These are the events at which others may look without opening, or have it open
// already; what each asks for depends on whose the file is, and on nothing else.
#pragma once

#include "io_cache/files/privacy.hpp"
#include "io_cache/files/table.hpp"

namespace clearway::io_cache {

enum class Event {
    grows,               // by write, ftruncate, fallocate
    is_asked_for,        // by this process: stat and its like
    is_walked,           // by this process, below libc's names: nftw, fts
    closes_one,          // of its descriptors; others stay
    closes,              // the last one
    is_synced,           // fsync; and the program's lock by flock
    starts_child,        // fork's relatives; files that the child has open leave by its descriptors
    ends,                // by a signal that the program sends itself
    changes_attributes,  // chmod, chown, utime and their like
    gets_name,           // rename, link
    is_locked,           // by fcntl or lockf: any close of ours would end the lock
};

// What an event asks for.
enum class Duty { nothing, size, all, stop_caching };

constexpr Duty duty(Event event, Privacy privacy) {
    const bool shared = privacy == Privacy::shared, nameless = privacy == Privacy::nameless;
    switch (event) {
        case Event::grows:
            return shared ? Duty::size : Duty::nothing;
        case Event::is_asked_for:
        case Event::closes_one:
            return shared ? Duty::all : Duty::nothing;
        case Event::closes:
            return shared ? Duty::stop_caching : (nameless ? Duty::nothing : Duty::size);
        case Event::is_walked:
        case Event::starts_child:
        case Event::ends:
            return nameless ? Duty::nothing : Duty::all;
        case Event::is_synced:
        case Event::changes_attributes:
            return Duty::all;
        case Event::gets_name:
        case Event::is_locked:
            return Duty::stop_caching;
    }
    return Duty::stop_caching;
}

// With `table_lock` held, shared or alone; 0, or the errno of a write-back that failed. Records stay in memory.
int write_back(CachedFile& file);

// What an event asks for, before the program's call brings it about. Takes the lock itself; errno stays.
void write_back_before(Event event, int fd);
void write_back_before(Event event, int directory, const char* path, int flags = 0);  // as of fstatat(2)
void write_back_each_before(Event event);

// The program has written, or has read; with `table_lock` held.
void note_written(CachedFile& file);
void note_read(CachedFile& file);

}  // namespace clearway::io_cache
