// Whose a file in the cache is: the one place that decides it.
#pragma once

#include <sys/stat.h>

namespace clearway::io_cache {

struct CachedFile;

enum class Privacy {
    shared,    // anybody may look at it, with or without opening it
    scratch,   // an engine's own, by its list of names and folders: nobody looks at its size or its times
    nameless,  // unlinked, or made without a name: nobody else finds it
};

// Of a file that has a name, and enters by it.
Privacy privacy_of(int directory, const char* path);

// One of its names was taken away by this process; `links` is how many it had. Where hard links are inodes of their
// own (some FUSE file systems), none left of this one says nothing of the others.
void note_unlinked(CachedFile& file, unsigned links);

// Nobody will see it any more once it is closed.
bool is_deleted(const CachedFile& file);

}  // namespace clearway::io_cache
