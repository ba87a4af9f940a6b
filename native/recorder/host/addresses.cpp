// The addresses of a network interface, and the networks that they are in.
#include <arpa/inet.h>
#include <netinet/in.h>

#include "recorder/host/interface_facts.hpp"

namespace clearway::recorder {
namespace {

struct Address {
    int family;
    std::size_t length;
    std::uint8_t bytes[16];
};

bool read_address(const sockaddr* from, Address& address) {
    if (from == nullptr) return false;
    address.family = from->sa_family;
    if (from->sa_family == AF_INET) {
        address.length = 4;
        std::memcpy(address.bytes, &reinterpret_cast<const sockaddr_in*>(from)->sin_addr, 4);
        return true;
    }
    if (from->sa_family == AF_INET6) {
        address.length = 16;
        std::memcpy(address.bytes, &reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr, 16);
        return true;
    }
    return false;
}

template <std::size_t size>
void append_address(char (&text)[size], const Address& address) {
    char one[INET6_ADDRSTRLEN];
    if (inet_ntop(address.family, address.bytes, one, sizeof one) == nullptr) return;
    if (text[0] != '\0') append_text(text, " ");
    append_text(text, one);
}

// "10.77.0.0/16": the same text on all hosts that reach each other by it.
template <std::size_t size>
void append_network(char (&text)[size], Address address, const Address& mask) {
    int bits = 0;
    for (std::size_t i = 0; i < address.length; ++i) {
        address.bytes[i] &= mask.bytes[i];
        bits += __builtin_popcount(mask.bytes[i]);
    }
    append_address(text, address);
    char length[16];  // of any int: gcc does not know that there are 128 bits at most
    std::snprintf(length, sizeof length, "/%d", bits);
    append_text(text, length);
}

}  // namespace

void describe_addresses(const ifaddrs* all, const char* interface) {
    char addresses[sizeof Fact::text] = "", networks[sizeof Fact::text] = "";
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        Address address{}, mask{};
        if (std::strcmp(each->ifa_name, interface) != 0 || !read_address(each->ifa_addr, address)) continue;
        append_address(addresses, address);
        if (read_address(each->ifa_netmask, mask)) append_network(networks, address, mask);
    }
    if (addresses[0] != '\0') add_interface_fact(interface, "addresses", addresses);
    if (networks[0] != '\0') add_interface_fact(interface, "networks", networks);
}

}  // namespace clearway::recorder
