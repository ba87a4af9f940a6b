// Doors of stdio that format: the printf and scanf families on files, and dprintf. They all come to libc's va_list
// forms.
#include "recorder/io/streams.hpp"

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_PRINTING_DOOR(name)                                                                           \
    CLEARWAY_DOOR(name) {                                                                                      \
        return transfer_stream<FileOperation::write>(                                                          \
            real::name, stream, [&] { return CLEARWAY_REAL(name); },                                           \
            [](int printed) { return printed > 0 ? static_cast<std::uint64_t>(printed) : std::uint64_t{0}; }); \
    }

#define CLEARWAY_DIRECT_PRINTING_DOOR(name)                                                                      \
    CLEARWAY_DOOR(name) {                                                                                        \
        return transfer<FileOperation::write>(real::name, fd, kAtPosition, [&] { return CLEARWAY_REAL(name); }); \
    }

// How many bytes a scan consumed, libc does not say: settle_stream adds them when the stream is closed.
#define CLEARWAY_SCANNING_DOOR(name)                                                                        \
    CLEARWAY_DOOR(name) {                                                                                   \
        return transfer_stream<FileOperation::read>(                                                        \
            real::name, stream, [&] { return CLEARWAY_REAL(name); }, [](int) { return std::uint64_t{0}; }); \
    }

CLEARWAY_PRINTING_DOOR(vfprintf)
CLEARWAY_PRINTING_DOOR(__vfprintf_chk)
CLEARWAY_DIRECT_PRINTING_DOOR(vdprintf)
CLEARWAY_DIRECT_PRINTING_DOOR(__vdprintf_chk)
CLEARWAY_SCANNING_DOOR(vfscanf)
CLEARWAY_SCANNING_DOOR(__isoc99_vfscanf)
CLEARWAY_SCANNING_DOOR(__isoc23_vfscanf)
