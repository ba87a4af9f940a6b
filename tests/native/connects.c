// Sockets that are connected, and how often the kernel was asked for the type of one. "udp": many times one that needs
// no connection. "again": a TCP connection on the descriptor of such a one, made and closed past libc's names.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int asked;

// Stands before libc's for all libraries of the process.
int getsockopt(int fd, int level, int option, void* value, socklen_t* length) {
    if (level == SOL_SOCKET && option == SO_TYPE) ++asked;
    return (int)syscall(SYS_getsockopt, fd, level, option, value, length);
}

static void must(int worked, const char* what) {
    if (worked) return;
    perror(what);
    exit(1);
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const struct sockaddr_in nobody = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
    const struct sockaddr_in server = {AF_INET, htons((unsigned short)atoi(argv[2])), {htonl(INADDR_LOOPBACK)}, {0}};
    int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int copy = dup(udp);
    for (int i = 0; i < 100; ++i) {
        must(connect(udp, (const struct sockaddr*)&nobody, sizeof nobody) == 0, "udp");
        must(connect(copy, (const struct sockaddr*)&nobody, sizeof nobody) == 0, "copy");
    }
    printf("%d\n", asked);
    if (strcmp(argv[1], "again") == 0) {
        close(udp);
        const int tcp = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
        must(tcp == udp, "another descriptor");
        must(connect(tcp, (const struct sockaddr*)&server, sizeof server) == 0, "tcp");
    }
    return 0;
}
