// Each rank is blocked outside MPI, in one way after the other, for about SECONDS each, and says how long it was.
// blocked SECONDS FILE [WAY]
//   napping   polls for a message that does not come, and sleeps a millisecond in between
//   silent    connects to who accepts but never answers, and polls for the answer
//   stranded  connects to who takes no more connections
//   lock      waits for a lock on FILE.<rank> that another process holds
//   pipe      prints more to stdout than a pipe holds that nobody reads from
//   child     waits for a process that it started
//   computing computes, a tenth of that
#include <arpa/inet.h>
#include <mpi.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planted.h"

static double seconds;

static void nap(int rank) {
    const double end = now_s() + seconds;
    int there = 0;
    while (now_s() < end) {
        MPI_Iprobe(MPI_ANY_SOURCE, 4711, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    (void)rank;
}

// Of the connections only so many are taken as wait to be accepted: one.
static int listener(struct sockaddr_in* address) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr*)address, sizeof *address) != 0 || listen(fd, 0) != 0) abort();
    getsockname(fd, (struct sockaddr*)address, &length);
    return fd;
}

static int connected(const struct sockaddr_in* address, int flags) {
    const int fd = socket(AF_INET, SOCK_STREAM | flags, 0);
    if (connect(fd, (const struct sockaddr*)address, sizeof *address) != 0 && flags == 0) abort();
    return fd;
}

static void wait_for(int fd, short events) {
    struct pollfd one = {.fd = fd, .events = events};
    poll(&one, 1, (int)(1000 * seconds));
}

static void ask_the_silent(int rank) {
    struct sockaddr_in address;
    const int listening = listener(&address), asking = connected(&address, 0);
    wait_for(asking, POLLIN);
    close(asking);
    close(listening);
    (void)rank;
}

static void be_stranded(int rank) {
    struct sockaddr_in address;
    const int listening = listener(&address), first = connected(&address, 0);
    const int second = connected(&address, SOCK_NONBLOCK);
    wait_for(second, POLLOUT);
    close(second);
    close(first);
    close(listening);
    (void)rank;
}

static const char* path;

static void wait_for_lock(int rank) {
    char name[4096], byte = 0;
    int ready[2];
    snprintf(name, sizeof name, "%s.%d", path, rank);
    const int file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || pipe(ready) != 0) abort();
    const pid_t holder = fork();
    if (holder == 0) {
        const int own = open(name, O_RDWR);
        if (flock(own, LOCK_EX) != 0 || write(ready[1], &byte, 1) != 1) _exit(1);
        sleep_s(seconds);
        _exit(0);
    }
    if (read(ready[0], &byte, 1) != 1 || flock(file, LOCK_EX) != 0) abort();
    close(file);
    waitpid(holder, NULL, 0);
}

static void print_into_full_pipe(int rank) {
    int both[2];
    if (pipe(both) != 0) abort();
    const pid_t reader = fork();
    if (reader == 0) {
        char text[4096];
        close(both[1]);
        sleep_s(seconds);
        while (read(both[0], text, sizeof text) > 0) continue;
        _exit(0);
    }
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    dup2(both[1], STDOUT_FILENO);
    close(both[1]);
    close(both[0]);
    for (int i = 0; i < 4000; ++i) printf("step %d of rank %d is done\n", i, rank);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    waitpid(reader, NULL, 0);
}

static void wait_for_child(int rank) {
    const pid_t child = fork();
    if (child == 0) {
        sleep_s(seconds);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    (void)rank;
}

static void compute(int rank) {
    compute_s(0.1 * seconds);
    (void)rank;
}

static const struct {
    const char* name;
    void (*be)(int rank);
} ways[] = {{"napping", nap},        {"silent", ask_the_silent},     {"stranded", be_stranded},
            {"lock", wait_for_lock}, {"pipe", print_into_full_pipe}, {"child", wait_for_child},
            {"computing", compute}};

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    int rank;
    seconds = atof(argv[1]);
    path = argv[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE* facts = facts_open(rank);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i) {
        if (argc > 3 && strcmp(argv[3], ways[i].name) != 0) continue;
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = now_s();
        ways[i].be(rank);
        fact(facts, ways[i].name, now_s() - begin);
    }
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
