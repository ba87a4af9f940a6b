// What is told of one network interface: facts named net.<interface>.<name>, and how the kernel is asked for them.
#pragma once

#include <ifaddrs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/text.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {

// Any socket will do to ask the kernel about interfaces.
class ControlSocket {
public:
    ControlSocket() : fd_(static_cast<int>(syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))) {}
    ~ControlSocket() {
        if (fd_ >= 0) syscall(SYS_close, fd_);
    }
    ControlSocket(const ControlSocket&) = delete;
    ControlSocket& operator=(const ControlSocket&) = delete;

    bool ask(const char* interface, unsigned long what, void* command, ifreq& request) const {
        std::memset(&request, 0, sizeof request);
        append_text(request.ifr_name, interface);
        request.ifr_data = static_cast<char*>(command);
        return fd_ >= 0 && syscall(SYS_ioctl, fd_, what, &request) == 0;
    }

    bool ethtool(const char* interface, void* command) const {
        ifreq request;
        return ask(interface, SIOCETHTOOL, command, request);
    }

    bool name_of(int index, char (&name)[IFNAMSIZ]) const {
        ifreq request{};
        request.ifr_ifindex = index;
        if (fd_ < 0 || syscall(SYS_ioctl, fd_, SIOCGIFNAME, &request) != 0) return false;
        std::memcpy(name, request.ifr_name, sizeof name);
        return true;
    }

private:
    int fd_;
};

inline void add_interface_fact(const char* interface, const char* name, const char* text) {
    char whole[sizeof Fact::name];
    char prefix[sizeof whole];
    dotted(prefix, "net", interface);
    dotted(whole, prefix, name);
    add_host_fact(whole, text);
}

inline void add_interface_fact(const char* interface, const char* name, std::uint64_t number) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(number));
    add_interface_fact(interface, name, text);
}

// links.cpp, addresses.cpp, shaping.cpp
void describe_link(const ControlSocket& socket, const char* interface);
void describe_addresses(const ifaddrs* all, const char* interface);
void describe_shaping(const ControlSocket& socket);  // of all interfaces

}  // namespace clearway::recorder
