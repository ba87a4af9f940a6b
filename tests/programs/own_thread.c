// The program's own thread computes beside the MPI, whose threads are whatever it has. Arguments: SECONDS BYTES
#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "planted.h"

static double seconds;

static void* own(void* nothing) {
    pthread_setname_np(pthread_self(), "program-own");
    compute_s(seconds);
    return nothing;
}

int main(int argc, char** argv) {
    int provided = 0, rank = 0, ranks = 1;
    if (argc < 3) return 2;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seconds = atof(argv[1]);
    const int bytes = atoi(argv[2]);
    char *sent = calloc((size_t)bytes, 1), *got = calloc((size_t)bytes, 1);
    pthread_t thread;
    pthread_create(&thread, NULL, own, NULL);
    const double end = now_s() + 1.5 * seconds;
    for (int go_on = 1; go_on;) {
        MPI_Sendrecv(sent, bytes, MPI_BYTE, (rank + 1) % ranks, 0, got, bytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const int more = now_s() < end;
        MPI_Allreduce(&more, &go_on, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    }
    pthread_join(thread, NULL);
    free(sent);
    free(got);
    MPI_Finalize();
    return 0;
}
