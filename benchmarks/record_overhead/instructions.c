// Makes calls, one kind after the other, for callgrind: of each kind it leaves the instructions of some rounds, in a
// part of its output with the kind's name. One rank, which talks to itself.
//   instructions FILE
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

enum { kRounds = 7, kCalls = 200 };

#define COUNTED(name, ...)                                \
    do {                                                  \
        for (int i = 0; i < kCalls; ++i) __VA_ARGS__;     \
        for (int round = 0; round < kRounds; ++round) {   \
            CALLGRIND_ZERO_STATS;                         \
            for (int i = 0; i < kCalls; ++i) __VA_ARGS__; \
            CALLGRIND_DUMP_STATS_AT(name);                \
        }                                                 \
    } while (0)

static void count_mpi(void) {
    const MPI_Comm world = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_DOUBLE;
    double out = 1, in = 0, late = 0;
    int rank, found;
    MPI_Request never, request, both[2];
    MPI_Status status, statuses[2];
    MPI_Comm_rank(world, &rank);
    MPI_Irecv(&late, 1, type, rank, 9, world, &never);
    COUNTED("MPI_Iprobe", MPI_Iprobe(rank, 1, world, &found, MPI_STATUS_IGNORE));
    COUNTED("MPI_Test", MPI_Test(&never, &found, MPI_STATUS_IGNORE));
    COUNTED("MPI_Sendrecv", MPI_Sendrecv(&out, 1, type, rank, 2, &in, 1, type, rank, 2, world, MPI_STATUS_IGNORE));
    COUNTED("MPI_Irecv, MPI_Send, MPI_Wait", {
        MPI_Irecv(&in, 1, type, rank, 2, world, &request);
        MPI_Send(&out, 1, type, rank, 2, world);
        MPI_Wait(&request, &status);
    });
    COUNTED("MPI_Isend, MPI_Recv, MPI_Wait", {
        MPI_Isend(&out, 1, type, rank, 2, world, &request);
        MPI_Recv(&in, 1, type, rank, 2, world, &status);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    COUNTED("MPI_Irecv, MPI_Isend, MPI_Waitall", {
        MPI_Irecv(&in, 1, type, rank, 2, world, &both[0]);
        MPI_Isend(&out, 1, type, rank, 2, world, &both[1]);
        MPI_Waitall(2, both, statuses);
    });
    COUNTED("MPI_Allreduce", MPI_Allreduce(&out, &in, 1, type, MPI_SUM, world));
    COUNTED("MPI_Bcast", MPI_Bcast(&out, 1, type, 0, world));
    COUNTED("MPI_Barrier", MPI_Barrier(world));
    MPI_Send(&out, 1, type, rank, 9, world);
    MPI_Wait(&never, MPI_STATUS_IGNORE);
}

static int count_files(const char* path) {
    char bytes[64] = "";
    long sum = 0;
    const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, bytes, sizeof bytes) != sizeof bytes) return 1;
    COUNTED("lseek", sum += lseek(file, 0, SEEK_SET));
    COUNTED("pread", sum += pread(file, bytes, sizeof bytes, 0));
    COUNTED("pwrite", sum += pwrite(file, bytes, sizeof bytes, 0));
    COUNTED("lseek, read", sum += lseek(file, 0, SEEK_SET) + read(file, bytes, sizeof bytes));
    COUNTED("lseek, write", sum += lseek(file, 0, SEEK_SET) + write(file, bytes, sizeof bytes));
    close(file);
    return sum <= 0;
}

static void count_regions(void) {
    COUNTED("GOMP_parallel, 1 thread", {
        _Pragma("omp parallel num_threads(1)") { __asm__ volatile("" ::: "memory");
}
});
}

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    MPI_Init(&argc, &argv);
    count_mpi();
    count_regions();
    const int failed = count_files(argv[1]);
    MPI_Finalize();
    return failed;
}
