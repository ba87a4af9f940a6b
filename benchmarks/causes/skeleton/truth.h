// What a rank really did and when, in a file that is there also if the rank is killed: numbers, in this order.
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "planted.h"
#include "settings.h"

typedef struct {
    double begin_s;  // of main, on the clock that all processes of a machine share
    double ready_s;  // MPI_Init has returned
    double end_s;    // MPI_Finalize has returned; 0: it never did
    double steps_done;
    double step_end_s[];
} Truth;

static inline int rank_to_be(void) {
    const char* names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (getenv(names[i]) != NULL) return atoi(getenv(names[i]));
    return 0;
}

static inline Truth* open_truth(const Settings* s, int rank) {
    const size_t bytes = sizeof(Truth) + (size_t)s->steps * sizeof(double);
    char path[WORD_BYTES + 16];
    snprintf(path, sizeof path, "%s.%d", s->truth, rank);
    const int file = s->truth[0] == '\0' ? -1 : open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    Truth* truth = NULL;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0) {
        truth = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (truth == MAP_FAILED) truth = NULL;
    }
    if (file >= 0) close(file);
    if (truth == NULL) truth = calloc(1, bytes);
    if (truth == NULL) abort();
    truth->begin_s = now_s();
    return truth;
}
