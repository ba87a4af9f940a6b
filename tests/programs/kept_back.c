// Rank 0 talks to a server on this host, step by step, as programs do that are driven through a socket.
// kept_back SECONDS WAY
//   small   sends a header and a body with a call each: TCP keeps the body back until the header is acknowledged
//   nodelay the same, with TCP_NODELAY
//   slow    sends both with one call; the server takes 40 ms to answer
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "planted.h"

enum { kHeader = 12, kBody = 1200 };

static int answer(int connection, int slow) {
    char request[kHeader + kBody];
    while (recv(connection, request, sizeof request, MSG_WAITALL) == sizeof request) {
        if (slow) usleep(40000);
        if (write(connection, request, kHeader) != kHeader) return 1;
    }
    return 0;
}

static int served_by(pid_t* server, int slow) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int listening = socket(AF_INET, SOCK_STREAM, 0), asking = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr*)&address, sizeof address) != 0 || listen(listening, 1) != 0) abort();
    getsockname(listening, (struct sockaddr*)&address, &length);
    *server = fork();
    if (*server == 0) {
        close(asking);
        _exit(answer(accept(listening, NULL, NULL), slow));
    }
    if (connect(asking, (struct sockaddr*)&address, sizeof address) != 0) abort();
    close(listening);
    return asking;
}

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    int rank, on = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int small = strcmp(argv[2], "slow") != 0;
    char request[kHeader + kBody] = {0}, got[kHeader];
    pid_t server = 0;
    const int asking = rank == 0 ? served_by(&server, !small) : -1;
    if (rank == 0 && strcmp(argv[2], "nodelay") == 0) setsockopt(asking, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const double end = now_s() + atof(argv[1]);
    for (int go = 1; go;) {
        if (rank == 0) {
            const size_t first = small ? kHeader : sizeof request;
            if (write(asking, request, first) != (ssize_t)first) abort();
            if (small && write(asking, request, kBody) != kBody) abort();
            if (recv(asking, got, kHeader, MSG_WAITALL) != kHeader) abort();
            if (strcmp(argv[2], "nodelay") == 0) usleep(1000);
            go = now_s() < end;
        }
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        close(asking);
        kill(server, SIGTERM);
    }
    MPI_Finalize();
    return 0;
}
