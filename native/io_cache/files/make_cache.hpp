// How much memory the cache has, and the Cache itself, which is made for the first file.
#pragma once

namespace clearway::io_cache {

// From CLEARWAY_IO_CACHE. False: nothing is to be cached.
bool read_budget();

// With `table_lock` held alone. False: there is no memory, and nothing is cached in this process.
bool make_cache();

// With `table_lock` held alone, and no file in it: its memory goes, and none is made any more.
void give_up_cache();

// In a forked child, whose cache is empty.
void forget_cache();

}  // namespace clearway::io_cache
