/* Each rank says in one line where it is and which cores it may use: RANK HOST CPU,CPU…
   Before that all exchange as many bytes as the first argument says, so that the cards in use can be told. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_cpus(char* text, size_t size) {
    cpu_set_t set;
    size_t used = 0;
    text[0] = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &set) && used < size - 8)
            used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", cpu);
}

int main(int argc, char** argv) {
    int rank, size;
    int bytes = argc > 1 ? atoi(argv[1]) : 1;
    char host[256], cpus[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* from = calloc((size_t)size, (size_t)bytes);
    char* to = calloc((size_t)size, (size_t)bytes);
    MPI_Alltoall(from, bytes, MPI_CHAR, to, bytes, MPI_CHAR, MPI_COMM_WORLD);
    gethostname(host, sizeof host);
    print_cpus(cpus, sizeof cpus);
    printf("seat %d %s %s\n", rank, host, cpus);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
