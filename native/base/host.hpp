// Which host this is.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace clearway {

template <std::size_t size>
void host_name(char (&name)[size]) {
    utsname names{};
    uname(&names);
    copy_text(name, names.nodename);
}

// For the names of files, which must not leave their directory, whatever a host calls itself.
inline void safe_host_name(char (&name)[64]) {
    host_name(name);
    for (char* c = name; *c != '\0'; ++c) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (!plain && std::strchr(".-_", *c) == nullptr) *c = '_';
    }
}

// A number that the processes of one host share, and those of others do not: of its name and its network namespace, for
// containers of one host that have network cards of their own count as hosts.
inline std::uint64_t host_identity() {
    char name[sizeof utsname::nodename];
    host_name(name);
    struct statx network {};
    const bool known = syscall(SYS_statx, AT_FDCWD, "/proc/self/ns/net", 0, STATX_INO, &network) == 0;
    return std::hash<std::string_view>{}(name)*kGoldenRatio ^ (known ? network.stx_ino : 0);
}

}  // namespace clearway
