// MPI lives in a thread that is not the first, while the first writes a file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int done;

static void* with_mpi(void* unused) {
    int rank, provided;
    double mine = 1, all = 0;
    (void)unused;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("rank %d thread %ld\n", rank, syscall(SYS_gettid));
    for (int i = 0; i < 2000; ++i) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return NULL;
}

int main(void) {
    char path[4096];
    pthread_t thread;
    snprintf(path, sizeof path, "%s/own.%d", getenv("SCRATCH"), (int)getpid());
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    pthread_create(&thread, NULL, with_mpi, NULL);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        if (pwrite(fd, path, 64, 0) != 64) return 1;
    pthread_join(thread, NULL);
    close(fd);
    return 0;
}
