// Each rank writes a part of a file through MPI-IO, request by request, in order or from its end to its begin; then it
// computes. What each measured: how long the writes took.
//   mpi_requests FILE REQUESTS BYTES FIRST_OFFSET BACKWARDS COMPUTE_S
#include <mpi.h>
#include <stdlib.h>

#include "planted.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 7) return 2;
    const int requests = atoi(argv[2]), bytes = atoi(argv[3]), backwards = atoi(argv[5]);
    const MPI_Offset first = atoll(argv[4]) + (MPI_Offset)rank * requests * bytes;
    char* data = calloc((size_t)bytes, 1);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    const double begin_s = now_s();
    for (int request = 0; request < requests; ++request) {
        const int place = backwards ? requests - 1 - request : request;
        MPI_File_write_at(file, first + (MPI_Offset)place * bytes, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    const double written_s = now_s() - begin_s;
    MPI_File_close(&file);
    compute_s(atof(argv[6]));
    FILE* facts = facts_open(rank);
    fact(facts, "written_s", written_s);
    facts_close(facts);
    free(data);
    MPI_Finalize();
    return 0;
}
