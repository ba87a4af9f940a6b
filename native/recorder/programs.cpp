#include "recorder/programs.hpp"

#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "libc/executing_door.hpp"
#include "preload/program_memory.hpp"
#include "preload/reach.hpp"
#include "recorder/sandbox.hpp"
#include "recorder_doors.hpp"

// LD_PRELOAD goes from program to program, into some that it does harm to: a loader that cannot use this library says
// so on stderr, once a program, and musl's ends the program. That is known before the program starts: such a one starts
// without. The doors run in vfork's children, too: the changed environment lies on the stack, and nothing else is
// changed.

extern char** environ;

namespace clearway::recorder {
namespace {

char own_library[PATH_MAX];

constexpr char kVariable[] = "LD_PRELOAD=";
constexpr std::size_t kName = sizeof kVariable - 1;

constexpr const char* kFiles[] = {"/libclearway.so", "/libclearway-io.so", "/libclearway-flow.so"};

// Whether an entry of LD_PRELOAD is one of ours, by its file's name: its folder may be written otherwise ($LIB).
bool is_own(const char* entry, std::size_t length) {
    for (const char* file : kFiles) {
        const std::size_t end = std::strlen(file);
        if (length >= end && std::strncmp(entry + length - end, file, end) == 0) return true;
    }
    return false;
}

// The first of ours in the value of LD_PRELOAD. Null: none.
const char* find_own(const char* value, std::size_t& length) {
    for (const char* at = value; *at != '\0'; at += length + (at[length] != '\0' ? 1 : 0)) {
        length = std::strcspn(at, ": ");
        if (is_own(at, length)) return at;
    }
    return nullptr;
}

// The entry of `variables` that brings our libraries into a program; -1: none does, or nobody may look.
long find_entry(char* const* variables) {
    std::size_t length = 0;
    char* variable = nullptr;
    if (is_filtered()) return -1;
    for (long i = 0; variables != nullptr; ++i) {
        char begin[kName];
        if (!copy_from_program(&variable, variables + i, sizeof variable) || variable == nullptr) return -1;
        if (copy_from_program(begin, variable, kName) && std::memcmp(begin, kVariable, kName) == 0)
            return find_own(variable + kName, length) != nullptr ? i : -1;
    }
    return -1;
}

// A static program takes no notice, and hands it on to what it starts: so does valgrind.
bool harms(Obstacle obstacle) { return obstacle == Obstacle::musl || obstacle == Obstacle::other_machine; }

bool goes_with(const char* path) {
    const int saved_errno = errno;
    const bool visible = syscall(SYS_faccessat, AT_FDCWD, own_library, R_OK) == 0;
    const bool can_start = syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;  // its name may not be readable, either
    const bool goes =
        visible && (!can_start || (!harms(obstacle_to(path)) &&
                                   !(std::getenv("CLEARWAY_EVERY_JOB") != nullptr && starts_containers(path))));
    errno = saved_errno;
    return goes;
}

long number_of(char* const* variables) {
    long number = 0;
    while (variables[number] != nullptr) ++number;
    return number;
}

// The environment without our libraries. `room` holds as many pointers as there are variables and one, `text` as much
// as the entry.
char* const* without_own(char* const* variables, long entry, char** room, char* text) {
    std::memcpy(text, kVariable, sizeof kVariable);
    char* end = text + kName;
    std::size_t length = 0;
    for (const char* at = variables[entry] + kName; *at != '\0'; at += length + (at[length] != '\0' ? 1 : 0)) {
        length = std::strcspn(at, ": ");
        if (length == 0 || is_own(at, length)) continue;
        if (end > text + kName) *end++ = ':';
        std::memcpy(end, at, length);
        end += length;
        *end = '\0';
    }
    char** to = room;
    for (long i = 0; variables[i] != nullptr; ++i) {
        if (i != entry)
            *to++ = variables[i];
        else if (text[kName] != '\0')
            *to++ = text;
    }
    *to = nullptr;
    return room;
}

// As execvp finds it.
const char* search(const char* name, char (&path)[PATH_MAX]) {
    const char* folders = std::strchr(name, '/') == nullptr ? std::getenv("PATH") : nullptr;
    for (const char* at = folders; at != nullptr && *at != '\0';) {
        const char* end = strchrnul(at, ':');
        const int length = static_cast<int>(end - at);
        std::snprintf(path, sizeof path, "%.*s%s%s", length, at, length > 0 ? "/" : "", name);
        if (syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0) return path;
        at = *end == ':' ? end + 1 : end;
    }
    return name;
}

}  // namespace

void find_own_library() {
    Dl_info found;
    if (dladdr(reinterpret_cast<void*>(&find_own_library), &found) != 0 && found.dli_fname != nullptr)
        copy_text(own_library, found.dli_fname);
}

}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

// `fitting` is `given`, or where the program at `path` must not get our libraries, the same without them.
#define CLEARWAY_FITTING(given, path)                                                                          \
    char* const* fitting = given;                                                                              \
    if (const long entry = find_entry(fitting); entry >= 0 && !goes_with(path)) {                              \
        auto** room =                                                                                          \
            static_cast<char**>(alloca((static_cast<unsigned long>(number_of(fitting)) + 1) * sizeof(char*))); \
        auto* text = static_cast<char*>(alloca(std::strlen(fitting[entry]) + 1));                              \
        fitting = without_own(fitting, entry, room, text);                                                     \
    }

CLEARWAY_DOOR(execve) {
    CLEARWAY_FITTING(variables, path)
    return real::execve(path, arguments, fitting);
}

CLEARWAY_DOOR(execv) {
    CLEARWAY_FITTING(environ, path)
    return fitting == environ ? CLEARWAY_REAL(execv) : real::execve(path, arguments, fitting);
}

CLEARWAY_DOOR(execvpe) {
    char found[PATH_MAX];
    CLEARWAY_FITTING(variables, search(path, found))
    return real::execvpe(path, arguments, fitting);
}

CLEARWAY_DOOR(execvp) {
    char found[PATH_MAX];
    CLEARWAY_FITTING(environ, search(path, found))
    return fitting == environ ? CLEARWAY_REAL(execvp) : real::execvpe(path, arguments, fitting);
}

CLEARWAY_DOOR(fexecve) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CLEARWAY_FITTING(variables, path)
    return real::fexecve(fd, arguments, fitting);
}

CLEARWAY_EXECUTING_DOOR(execl, environ, door_execv(path, arguments))
CLEARWAY_EXECUTING_DOOR(execlp, environ, door_execvp(path, arguments))
CLEARWAY_EXECUTING_DOOR(execle, va_arg(rest, char* const*), door_execve(path, arguments, environment))

CLEARWAY_DOOR(posix_spawn) {
    CLEARWAY_FITTING(variables, path)
    return real::posix_spawn(pid, path, actions, attributes, arguments, fitting);
}

CLEARWAY_DOOR(posix_spawnp) {
    char found[PATH_MAX];
    CLEARWAY_FITTING(variables, search(path, found))
    return real::posix_spawnp(pid, path, actions, attributes, arguments, fitting);
}
