#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "recorder/activity/found.hpp"
#include "recorder/sockets/connecting.hpp"
#include "recorder/sockets/job_descriptors.hpp"

namespace clearway::recorder {
namespace {

constexpr std::size_t kLongestPath = 4096;

// "socket:[4711]", "pipe:[4711]", a path. Only the link is read: what it leads to may be on a file system that hangs.
bool link_of(unsigned thread, int fd, char (&text)[kLongestPath]) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%u/fd/%d", thread, fd);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, path, text, sizeof text - 1);
    text[std::max(length, 0L)] = '\0';
    return length > 0;
}

bool begins_with(const char* text, const char* begin) { return std::strncmp(text, begin, std::strlen(begin)) == 0; }

// Of a path that is too long its end stays, which tells files apart.
void name_path(Found& found, const char* path) {
    const std::size_t length = std::strlen(path), room = sizeof found.object - 1;
    if (length <= room) return copy_text(found.object, path);
    copy_text(found.object, "…");
    append_text(found.object, path + length - (room - std::strlen(found.object)));
}

constexpr int kMostGenerations = 3;  // a shell, and what it started

bool has_open(long process, int stream, const char* pipe) {
    char path[64], link[kLongestPath];
    std::snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, stream);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, path, link, sizeof link - 1);
    link[std::max(length, 0L)] = '\0';
    return std::strcmp(link, pipe) == 0;
}

// The child of a thread that has the pipe as its standard input or output; 0 if none has.
long child_at(const char* thread, const char* pipe) {
    char path[96], children[512];
    std::snprintf(path, sizeof path, "%s/children", thread);
    if (!read_line(path, children, sizeof children)) return 0;
    char* next = children;
    for (long child = std::strtol(next, &next, 10); child > 0; child = std::strtol(next, &next, 10))
        if (has_open(child, 0, pipe) || has_open(child, 1, pipe)) return child;
    return 0;
}

// The program at the other end that the thread started, as by popen: "gzip", not the shell that started it.
void name_child(Found& found, unsigned thread, const char* pipe) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/task/%u", thread);
    for (int generation = 0; generation < kMostGenerations; ++generation) {
        const long child = child_at(path, pipe);
        if (child == 0) return;
        std::snprintf(path, sizeof path, "/proc/%ld/comm", child);
        read_line(path, found.object, sizeof found.object);
        std::snprintf(path, sizeof path, "/proc/%ld/task/%ld", child, child);
    }
}

// A pipe has no name but that of the standard stream that it serves, or of who is at its other end.
void name_pipe(Found& found, unsigned thread, int fd, const char* link) {
    if (link[0] == '/') return name_path(found, link);
    constexpr const char* kStreams[] = {"stdin", "stdout", "stderr"};
    char other[kLongestPath];
    if (fd >= 0 && fd <= 2) return copy_text(found.object, kStreams[fd]);
    for (const int stream : {1, 2})
        if (link_of(thread, stream, other) && std::strcmp(other, link) == 0)
            return copy_text(found.object, kStreams[stream]);
    name_child(found, thread, link);
}

void name_address(Found& found, const sockaddr_storage& storage) {
    char text[INET6_ADDRSTRLEN] = "";
    if (storage.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        std::snprintf(found.object, sizeof found.object, "%s:%u", text, ntohs(v4.sin_port));
    } else if (storage.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
        const bool mapped = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr);
        inet_ntop(mapped ? AF_INET : AF_INET6, v6.sin6_addr.s6_addr + (mapped ? 12 : 0), text, sizeof text);
        std::snprintf(found.object, sizeof found.object, mapped ? "%s:%u" : "[%s]:%u", text, ntohs(v6.sin6_port));
    } else if (storage.ss_family == AF_UNIX) {
        const auto& local = reinterpret_cast<const sockaddr_un&>(storage);
        copy_text(found.object, "a process of this host");
        if (local.sun_path[0] == '/') copy_text(found.object, local.sun_path);
    }
}

int option(int fd, int name) {
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : 0;
}

Found found_at_socket(int fd, Activity activity) {
    Found found;
    found.activity = activity;
    const JobDescriptor borrowed(fd);
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (getpeername(borrowed.get(), reinterpret_cast<sockaddr*>(&storage), &length) == 0) {
        name_address(found, storage);
        return found;
    }
    if (option(borrowed.get(), SO_ACCEPTCONN) != 0) return found_accepting(fd);
    found.activity = Activity::receiving;  // it is not connected yet, and who waits to write waits for that
    if (connecting_to(fd, storage)) name_address(found, storage);
    return found;
}

bool in_pipe(unsigned thread) {
    char function[64];
    kernel_function(thread, function, sizeof function);
    return std::strstr(function, "pipe_") != nullptr;
}

Found found_at(unsigned thread, int fd, Activity at_pipe, Activity at_socket) {
    Found found;
    char link[kLongestPath];
    if (!link_of(thread, fd, link)) return found_in_kernel(thread);
    if (begins_with(link, "socket:")) return found_at_socket(fd, at_socket);
    if (begins_with(link, "pipe:") || (link[0] == '/' && !begins_with(link, "/dev/") && in_pipe(thread))) {
        found.activity = at_pipe;
        name_pipe(found, thread, fd, link);
        return found;
    }
    const bool is_file = link[0] == '/' && !begins_with(link, "/dev/");
    const Activity at_device = at_pipe == Activity::full_pipe ? Activity::sending : Activity::input;
    found.activity = is_file ? Activity::file : at_device;
    name_path(found, begins_with(link, "anon_inode:") ? link + std::strlen("anon_inode:") : link);
    return found;
}

}  // namespace

bool copy_from(std::uint64_t address, void* to, std::size_t bytes) {
    const int saved_errno = errno;
    const iovec local{to, bytes}, remote{reinterpret_cast<void*>(address), bytes};
    const long copied = syscall(SYS_process_vm_readv, static_cast<long>(getpid()), &local, 1UL, &remote, 1UL, 0UL);
    errno = saved_errno;
    return copied == static_cast<long>(bytes);
}

Found found_reading(unsigned thread, int fd) { return found_at(thread, fd, Activity::empty_pipe, Activity::receiving); }

Found found_writing(unsigned thread, int fd) { return found_at(thread, fd, Activity::full_pipe, Activity::sending); }

Found found_locking(unsigned thread, int fd) {
    Found found;
    found.activity = Activity::lock;
    char link[kLongestPath];
    if (link_of(thread, fd, link)) name_path(found, link);
    return found;
}

Found found_accepting(int fd) {
    Found found;
    found.activity = Activity::accepting;
    const JobDescriptor borrowed(fd);
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (getsockname(borrowed.get(), reinterpret_cast<sockaddr*>(&storage), &length) != 0) return found;
    // The port of both families stands at the same place.
    if (storage.ss_family == AF_INET || storage.ss_family == AF_INET6)
        std::snprintf(found.object, sizeof found.object, "%u",
                      ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port));
    return found;
}

Found found_connecting(std::uint64_t address, std::uint64_t length) {
    Found found;
    found.activity = Activity::receiving;
    sockaddr_storage storage{};
    const std::size_t bytes = std::min<std::uint64_t>(length, sizeof storage);
    if (copy_from(address, &storage, bytes)) name_address(found, storage);
    return found;
}

}  // namespace clearway::recorder
