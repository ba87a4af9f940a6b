// Doors that move bytes through a descriptor: read, write and their positioned, vectored, checked and 64-bit names.
#include "recorder/io/operations.hpp"

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_TRANSFER_DOOR(name, operation, at)                                                     \
    CLEARWAY_DOOR(name) {                                                                               \
        return transfer<Operation::operation>(real::name, fd, at, [&] { return CLEARWAY_REAL(name); }); \
    }

CLEARWAY_TRANSFER_DOOR(read, read, kAtPosition)
CLEARWAY_TRANSFER_DOOR(__read_chk, read, kAtPosition)
CLEARWAY_TRANSFER_DOOR(readv, read, kAtPosition)
CLEARWAY_TRANSFER_DOOR(pread, read, at)
CLEARWAY_TRANSFER_DOOR(__pread_chk, read, at)
CLEARWAY_TRANSFER_DOOR(preadv, read, at)
CLEARWAY_TRANSFER_DOOR(preadv2, read, at)  // -1: at the descriptor's position, which is what kAtPosition says too
CLEARWAY_TRANSFER_DOOR(write, write, kAtPosition)
CLEARWAY_TRANSFER_DOOR(writev, write, kAtPosition)
CLEARWAY_TRANSFER_DOOR(pwrite, write, at)
CLEARWAY_TRANSFER_DOOR(pwritev, write, at)
CLEARWAY_TRANSFER_DOOR(pwritev2, write, at)
