// Each rank is blocked outside MPI, in one way after the other, for about SECONDS each, and says how long it was.
// blocked SECONDS FILE [WAY]
//   napping   polls for a message that does not come, and sleeps a millisecond in between
//   silent    connects to who accepts but never answers, and polls for the answer
//   lock      waits for a lock on FILE.<rank> that another process holds
//   pipe      prints more to stdout than a pipe holds that nobody reads from
//   child     waits for a process that it started
//   computing computes
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

static void ask_the_silent(int rank) {
    const int listening = socket(AF_INET, SOCK_STREAM, 0), asking = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listening, (struct sockaddr*)&address, sizeof address) != 0 || listen(listening, 1) != 0) abort();
    getsockname(listening, (struct sockaddr*)&address, &length);
    if (connect(asking, (struct sockaddr*)&address, sizeof address) != 0) abort();
    struct pollfd answer = {.fd = asking, .events = POLLIN};
    poll(&answer, 1, (int)(1000 * seconds));
    close(asking);
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
    compute_s(seconds);
    (void)rank;
}

static const struct {
    const char* name;
    void (*be)(int rank);
} ways[] = {{"napping", nap},
            {"silent", ask_the_silent},
            {"lock", wait_for_lock},
            {"pipe", print_into_full_pipe},
            {"child", wait_for_child},
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
