// Doors of stdio that format: the printf and scanf families on files. The variadic ones go to libc's va_list forms.
#include <cstdarg>

#include "recorder/io/streams.hpp"

namespace clearway::recorder {
namespace {

Door<int(FILE*, const char*, va_list)>& print_door() {
    static constinit Door<int(FILE*, const char*, va_list)> door{"vfprintf"};
    return door;
}

int print(FILE* stream, const char* format, va_list values) {
    auto& door = print_door();
    const int fd = recording ? descriptor_of(stream) : -1;
    return transfer<Operation::write>(door, fd, kAtPosition, [&] { return door.real()(stream, format, values); });
}

// What _FORTIFY_SOURCE makes of it: `flag` asks libc to check the format.
int print_checked(FILE* stream, int flag, const char* format, va_list values) {
    static constinit Door<int(FILE*, int, const char*, va_list)> door{"__vfprintf_chk"};
    const int fd = recording ? descriptor_of(stream) : -1;
    return transfer<Operation::write>(door, fd, kAtPosition, [&] { return door.real()(stream, flag, format, values); });
}

// How many bytes a scan consumed, libc does not say: settle_stream adds them when the stream is closed.
template <class Function>
int scan(Door<Function>& door, FILE* stream, const char* format, va_list values) {
    return transfer_stream<Operation::read>(
        door, stream, [&] { return door.real()(stream, format, values); }, [](int) { return std::uint64_t{0}; });
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_WITH_VALUES(last, call) \
    va_list values;                      \
    va_start(values, last);              \
    const int result = call;             \
    va_end(values);                      \
    return result

CLEARWAY_DOOR(int, vfprintf, FILE* stream, const char* format, va_list values) { return print(stream, format, values); }
CLEARWAY_DOOR(int, vprintf, const char* format, va_list values) { return print(stdout, format, values); }
CLEARWAY_DOOR(int, fprintf, FILE* stream, const char* format, ...) {
    CLEARWAY_WITH_VALUES(format, print(stream, format, values));
}
CLEARWAY_DOOR(int, printf, const char* format, ...) { CLEARWAY_WITH_VALUES(format, print(stdout, format, values)); }

CLEARWAY_DOOR(int, __vfprintf_chk, FILE* stream, int flag, const char* format, va_list values) {
    return print_checked(stream, flag, format, values);
}
CLEARWAY_DOOR(int, __vprintf_chk, int flag, const char* format, va_list values) {
    return print_checked(stdout, flag, format, values);
}
CLEARWAY_DOOR(int, __fprintf_chk, FILE* stream, int flag, const char* format, ...) {
    CLEARWAY_WITH_VALUES(format, print_checked(stream, flag, format, values));
}
CLEARWAY_DOOR(int, __printf_chk, int flag, const char* format, ...) {
    CLEARWAY_WITH_VALUES(format, print_checked(stdout, flag, format, values));
}

CLEARWAY_DOOR(int, vfscanf, FILE* stream, const char* format, va_list values) {
    static constinit Door<int(FILE*, const char*, va_list)> door{"vfscanf"};
    return scan(door, stream, format, values);
}
CLEARWAY_DOOR(int, fscanf, FILE* stream, const char* format, ...) {
    static constinit Door<int(FILE*, const char*, va_list)> door{"vfscanf"};
    CLEARWAY_WITH_VALUES(format, scan(door, stream, format, values));
}
CLEARWAY_DOOR(int, __isoc99_vfscanf, FILE* stream, const char* format, va_list values) {
    static constinit Door<int(FILE*, const char*, va_list)> door{"__isoc99_vfscanf"};
    return scan(door, stream, format, values);
}
CLEARWAY_DOOR(int, __isoc99_fscanf, FILE* stream, const char* format, ...) {
    static constinit Door<int(FILE*, const char*, va_list)> door{"__isoc99_vfscanf"};
    CLEARWAY_WITH_VALUES(format, scan(door, stream, format, values));
}
CLEARWAY_DOOR(int, __isoc23_vfscanf, FILE* stream, const char* format, va_list values) {
    static constinit Door<int(FILE*, const char*, va_list)> door{"__isoc23_vfscanf"};
    return scan(door, stream, format, values);
}
CLEARWAY_DOOR(int, __isoc23_fscanf, FILE* stream, const char* format, ...) {
    static constinit Door<int(FILE*, const char*, va_list)> door{"__isoc23_vfscanf"};
    CLEARWAY_WITH_VALUES(format, scan(door, stream, format, values));
}
