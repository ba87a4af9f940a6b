// A clock that steps back by three milliseconds, now and then, for one reading, as the recorder sees it (Open MPI
// itself hangs or fails under such a clock at times); under MPI calls and file calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
    static unsigned readings;
    Dl_info reader;
    const int code = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock != CLOCK_MONOTONIC) return code;
    if (dladdr(__builtin_return_address(0), &reader) == 0 || strstr(reader.dli_fname, "libclearway") == NULL)
        return code;
    if (__atomic_add_fetch(&readings, 1, __ATOMIC_RELAXED) % 7 == 0)
        time->tv_nsec = time->tv_nsec > 3000000 ? time->tv_nsec - 3000000 : 0;
    return code;
}

int main(int argc, char** argv) {
    char path[4096];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/back.%d", getenv("SCRATCH"), rank);
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    double sum = 0;
    for (int i = 0; i < 3000; ++i) {
        double mine = rank + i, all;
        MPI_Request request;
        MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
        if (write(fd, &mine, sizeof mine) < 0 || lseek(fd, -4, SEEK_CUR) < 0) return 1;
    }
    printf("rank %d sum %.0f\n", rank, sum);
    close(fd);
    MPI_Finalize();
    return 0;
}
