// At which numbers the program's streams read and write: below libc's names, so what is there must be the kernel's. A
// program that closes a stream's descriptor itself may have another file at that number, which the stream then uses.
#pragma once

#include <cstdio>

namespace clearway::io_cache {

void note_stream(FILE* stream);    // it was opened; null: it was not
void forget_stream(FILE* stream);  // it is about to be closed
bool is_of_stream(int fd);         // also of the three that there are from the beginning

}  // namespace clearway::io_cache
