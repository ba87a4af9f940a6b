// Each rank writes a scratch file, reads it PASSES times, removes it; rank 0 prints what all of them read.
//   scratch FOLDER PASSES
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kRecords = 64, kWords = 1024 };

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char name[4096];
    snprintf(name, sizeof name, "%s/scratch-%d", argv[1], rank);
    const int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (file < 0) MPI_Abort(MPI_COMM_WORLD, 3);
    double record[kWords], sum = 0, all = 0;
    for (int at = 0; at < kRecords; ++at) {
        for (int word = 0; word < kWords; ++word) record[word] = rank + at;
        if (write(file, record, sizeof record) != sizeof record) MPI_Abort(MPI_COMM_WORLD, 4);
    }
    for (int pass = 0; pass < atoi(argv[2]); ++pass) {
        lseek(file, 0, SEEK_SET);
        while (read(file, record, sizeof record) == sizeof record) sum += record[kWords - 1];
    }
    unlink(name);
    close(file);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("read %.0f\n", all);
    MPI_Finalize();
    return 0;
}
