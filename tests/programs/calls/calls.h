// Sections of the counting program: each makes every call of one family, on any number of ranks from two up.
#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../tally.h"

struct World {
    MPI_Comm comm;
    int rank, size, next, previous;
};

void point_to_point(const struct World* world);
void completion(const struct World* world);
void collectives(const struct World* world);
void nonblocking_collectives(const struct World* world);
void persistent_collectives(const struct World* world);
void neighbourhoods(const struct World* world);
void intercommunicators(const struct World* world);
void one_sided(const struct World* world);
void communicators(const struct World* world);
void datatypes(const struct World* world);
void files(const struct World* world);
void large_counts(const struct World* world);
