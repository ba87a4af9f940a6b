// Asks a host that TCP hears nothing from whether packets reach it, and how large ones.
//
// Where large packets vanish and the host has nothing to say by itself, nothing in TCP's figures tells that from a way
// that is cut. So packets of our own go there, a few in a second, to a UDP port on which nobody listens (traceroute's):
// the host's kernel answers "port unreachable", which is small. Nothing is sent while connections are not silent.
#pragma once

#include <sys/socket.h>

#include <cstdint>

#include "recorder/sockets/size_search.hpp"

namespace clearway::recorder {

// Only for a thread with descriptors of its own: the job must not find a socket that it did not make.
class Echo {
public:
    // To `peer`, from the address `local`; packets of at most `full` bytes.
    Echo(const sockaddr_storage& local, const sockaddr_storage& peer, std::uint16_t full);
    ~Echo();
    Echo(const Echo&) = delete;
    Echo& operator=(const Echo&) = delete;

    // Hears what came, sends what is due.
    void look(std::uint64_t now_ns);

    const SizeSearch& found() const { return search_; }

private:
    void ask(std::uint64_t now_ns);

    SizeSearch search_;
    int fd_ = -1;
    int headers_;  // bytes before the data of a packet
    std::uint64_t asked_ns_ = 0, not_before_ns_ = 0;
};

}  // namespace clearway::recorder
