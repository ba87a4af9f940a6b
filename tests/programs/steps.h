// Steps of computing and one MPI_Allreduce, between which a rank may lose time: the frame of programs that plant what
// no rule was written for.
#pragma once

#include <mpi.h>

#include "planted.h"

typedef struct {
    const char* kind;
    int rank, steps;
    double compute_s;  // in each step, on each rank
} Steps;

// The arguments KIND AMOUNT OBJECT [STEPS COMPUTE_S], but for AMOUNT and OBJECT, of which each kind has its own notion.
static inline Steps steps_of(int argc, char** argv) {
    const Steps said = {argv[1], 0, argc > 4 ? atoi(argv[4]) : 20, argc > 5 ? atof(argv[5]) : 0.05};
    return said;
}

// Tells how long `lose_time` took in all of them, and how long they took. Null: nothing is lost.
static inline void take_steps(const Steps* all, void (*lose_time)(const char* kind, int rank, int step)) {
    const double begin = now_s();
    double lost = 0;
    for (int step = 0; step < all->steps; ++step) {
        compute_s(all->compute_s);
        const double from = now_s();
        if (lose_time != NULL) lose_time(all->kind, all->rank, step);
        lost += now_s() - from;
        double mine = step, sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    FILE* facts = facts_open(all->rank);
    fact(facts, "lost_s", lost);
    fact(facts, "stepping_s", now_s() - begin);
    facts_close(facts);
}
