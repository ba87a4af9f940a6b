// io.<host>.<pid>.cwr in the Run directory: what the cache did in this process.
#pragma once

namespace clearway::io_cache {

// Writes the newest figures; the file is made at the first call. It is a shared mapping: what a killed job knew is
// there.
void update_run_record();

// The first figures, by the thread that opened the first file: to make the record takes the lowest free descriptor for
// a moment, and the program of one thread expects to have that for itself.
void begin_run_record();

// In a forked child, whose figures are its own.
void forget_run_record();

}  // namespace clearway::io_cache
