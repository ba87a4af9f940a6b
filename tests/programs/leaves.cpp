// Leaves MPI and file calls by all the ways out: an error handler that throws or jumps, a signal handler that jumps, an
// error code. In between it goes on as usual, from other depths of the stack. `leaves SEED`: what comes after what; the
// same on all ranks. Calls that are left are not counted; what returns is.
#include <fcntl.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

extern "C" {
#include "tally.h"
}

static sigjmp_buf place;
static int rank_, size_;
static int caught, jumped, interrupted;

static void throws(MPI_Comm*, int* code, ...) { throw *code; }
static void jumps(MPI_Comm*, int*, ...) { longjmp(place, 1); }
static void alarmed(int) { siglongjmp(place, 1); }

static void send_badly() {
    int number = 0;
    MPI_Send(&number, 1, MPI_INT, size_ + 7, 0, MPI_COMM_WORLD);
}

static void leave_by_exception(MPI_Errhandler handler) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    try {
        send_badly();
    } catch (int) {
        ++caught;
    }
}

static void leave_by_jump(MPI_Errhandler handler) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(place) == 0)
        send_badly();
    else
        ++jumped;
}

static void fail() {
    int number = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CALL(MPI_Send, &number, 1, MPI_INT, size_ + 7, 0, MPI_COMM_WORLD);
}

// Waits for a lock that a child holds until it is killed, and is called away.
static void leave_by_signal(const char* path) {
    int ready[2];
    char byte;
    if (pipe(ready) != 0) exit(1);
    const pid_t child = fork();
    struct flock lock {};
    lock.l_type = F_WRLCK;
    if (child == 0) {
        const int fd = open(path, O_RDWR);
        fcntl(fd, F_SETLK, &lock);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    if (read(ready[0], &byte, 1) != 1) exit(1);
    const int fd = open(path, O_RDWR);
    if (sigsetjmp(place, 1) == 0) {
        alarm(1);
        fcntl(fd, F_SETLKW, &lock);
    } else {
        ++interrupted;
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(fd);
    close(ready[0]);
    close(ready[1]);
}

static void work() {
    double mine = rank_, all = 0;
    CALL_BYTES(MPI_Allreduce, sizeof mine, &mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm copy;
    CALL(MPI_Comm_dup, MPI_COMM_WORLD, &copy);
    CALL(MPI_Barrier, copy);
    CALL(MPI_Comm_free, &copy);
    tally_result(&all, sizeof all);
}

// From `depth` frames further down.
[[gnu::noinline]] static void deeper(int depth) {
    volatile char room[600];
    room[0] = 1;
    if (depth == 0)
        work();
    else
        deeper(depth - 1);
    room[1] = room[0];
}

int main(int argc, char** argv) {
    std::mt19937 random(static_cast<unsigned>(argc > 1 ? atoi(argv[1]) : 1));
    CALL(MPI_Init, &argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Errhandler throwing, jumping;
    MPI_Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>(throws), &throwing);
    MPI_Comm_create_errhandler(reinterpret_cast<MPI_Comm_errhandler_function*>(jumps), &jumping);
    for (int round = 0; round < 60; ++round) {
        const unsigned way = random() % 4;
        if (way == 0) leave_by_exception(throwing);
        if (way == 1) leave_by_jump(jumping);
        if (way == 2) fail();
        deeper(static_cast<int>(random() % 20));
    }
    struct sigaction action {};
    action.sa_handler = alarmed;
    sigaction(SIGALRM, &action, nullptr);
    const std::string path = std::string(getenv("SCRATCH")) + "/leaves." + std::to_string(rank_);
    close(open(path.c_str(), O_RDWR | O_CREAT, 0600));
    leave_by_signal(path.c_str());
    const int fd = open(path.c_str(), O_RDWR);
    for (int i = 0; i < 25; ++i)
        if (write(fd, "0123456789", 10) != 10) return 1;
    close(fd);
    deeper(2);
    printf("rank %d caught %d jumped %d interrupted %d\n", rank_, caught, jumped, interrupted);
    tally_print_checksum(rank_);
    CALL(MPI_Finalize);
    tally_write(rank_);
    return 0;
}
