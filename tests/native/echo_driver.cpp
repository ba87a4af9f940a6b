// Asks the host at the IPv4 address argv[2] from argv[1], with packets of at most argv[3] bytes, until nothing is left
// to ask: prints the largest size that was answered and the smallest that was not.
#include <arpa/inet.h>
#include <poll.h>

#include <cstdio>
#include <cstdlib>

#include "base/clock.hpp"
#include "recorder/sockets/echo.hpp"

int main(int, char** arguments) {
    sockaddr_storage ends[2]{};
    for (int i = 0; i < 2; ++i) {
        ends[i].ss_family = AF_INET;
        if (inet_pton(AF_INET, arguments[1 + i], &reinterpret_cast<sockaddr_in&>(ends[i]).sin_addr) != 1) return 2;
    }
    clearway::recorder::Echo echo(ends[0], ends[1], static_cast<std::uint16_t>(std::atoi(arguments[3])));
    while (echo.found().next() != 0) {
        echo.look(clearway::clock_ns(CLOCK_MONOTONIC));
        poll(nullptr, 0, 5);
    }
    std::printf("%d %d\n", echo.found().passed(), echo.found().lost());
}
