// MPI-IO on one shared file in $SCRATCH (default: the working directory).
#include <stdio.h>

#include "calls.h"

enum { kNumbers = 64, kBytes = kNumbers * sizeof(double) };

void files(const struct World* w) {
    char name[4096];
    const char* scratch = getenv("SCRATCH");
    snprintf(name, sizeof name, "%s/shared.bin", scratch != NULL ? scratch : ".");
    double out[kNumbers], in[kNumbers] = {0};
    for (int i = 0; i < kNumbers; ++i) out[i] = w->rank * 10 + i / 3.0;
    const MPI_Offset mine = (MPI_Offset)w->rank * kBytes;

    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    CALL(MPI_File_open, w->comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    CALL(MPI_File_set_size, file, 0);
    CALL_BYTES(MPI_File_write_at, kBytes, file, mine, out, kNumbers, MPI_DOUBLE, &status);
    CALL_BYTES(MPI_File_write_at_all, kBytes, file, mine, out, kNumbers, MPI_DOUBLE, &status);
    CALL(MPI_File_sync, file);
    CALL(MPI_Barrier, w->comm);
    CALL_BYTES(MPI_File_read_at, kBytes, file, mine, in, kNumbers, MPI_DOUBLE, &status);
    tally_result(in, sizeof in);
    CALL_BYTES(MPI_File_read_at_all, kBytes, file, mine, in, kNumbers, MPI_DOUBLE, &status);
    tally_result(in, sizeof in);
    CALL(MPI_File_set_view, file, mine, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    CALL(MPI_File_seek, file, 0, MPI_SEEK_SET);
    CALL_BYTES(MPI_File_write, kBytes, file, out, kNumbers, MPI_DOUBLE, &status);
    CALL(MPI_File_seek, file, 0, MPI_SEEK_SET);
    CALL_BYTES(MPI_File_read, kBytes, file, in, kNumbers, MPI_DOUBLE, &status);
    tally_result(in, sizeof in);
    CALL(MPI_File_seek, file, 0, MPI_SEEK_SET);
    CALL_BYTES(MPI_File_write_all, kBytes, file, out, kNumbers, MPI_DOUBLE, &status);
    CALL(MPI_File_seek, file, 0, MPI_SEEK_SET);
    CALL_BYTES(MPI_File_read_all, kBytes, file, in, kNumbers, MPI_DOUBLE, &status);
    tally_result(in, sizeof in);
    CALL(MPI_File_iwrite_at, file, 0, out, kNumbers, MPI_DOUBLE, &request);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_File_iread_at, file, 0, in, kNumbers, MPI_DOUBLE, &request);
    CALL(MPI_Wait, &request, &status);
    tally_result(in, sizeof in);
    CALL(MPI_File_close, &file);
    CALL(MPI_Barrier, w->comm);
    if (w->rank == 0) CALL(MPI_File_delete, name, MPI_INFO_NULL);
}
