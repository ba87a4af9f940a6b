// A file of all ranks, which they read together through MPI-IO in each step, and which the page cache does not keep.
#pragma once

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "options.h"
#include "scratch.h"

typedef struct {
    MPI_File file;
    int same;    // the file without MPI, for what the page cache is to forget
    char* data;  // NULL: none
} CommonFile;

static inline CommonFile open_common_file(const Settings* s, int rank) {
    CommonFile common = {.data = NULL};
    if (s->mpi_read_bytes <= 0) return common;
    const int bytes = (int)s->mpi_read_bytes;
    char path[4096];
    snprintf(path, sizeof path, "%s/common", s->scratch);
    common.data = calloc((size_t)bytes, 1);
    must(common.data != NULL, "workload: memory");
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    must(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &common.file) == MPI_SUCCESS, path);
    MPI_File_write_at_all(common.file, (MPI_Offset)rank * bytes, common.data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_sync(common.file);
    common.same = open(path, O_RDONLY);
    must(common.same >= 0, path);
    return common;
}

static inline void read_common_file(const Settings* s, const CommonFile* common, int rank) {
    if (common->data == NULL) return;
    const int bytes = (int)s->mpi_read_bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) posix_fadvise(common->same, 0, 0, POSIX_FADV_DONTNEED);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(common->file, (MPI_Offset)rank * bytes, common->data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

static inline void close_common_file(CommonFile* common) {
    if (common->data == NULL) return;
    close(common->same);
    MPI_File_close(&common->file);
    free(common->data);
}
