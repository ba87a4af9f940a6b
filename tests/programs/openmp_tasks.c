// Tasks with parallel regions of their own. The first thread does them once its own part of the outer region is done,
// while others of its team, which wait for a core, have not yet begun theirs.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { TURNS = 100, TEAM = 8, INNER = 2 };

int main(int argc, char** argv) {
    long parts = 0, inner_parts = 0, wrong = 0;
    MPI_Init(&argc, &argv);
    omp_set_max_active_levels(2);
    for (int turn = 0; turn < TURNS; ++turn) {
#pragma omp parallel num_threads(TEAM)
        {
            if (omp_get_level() != 1)
#pragma omp atomic
                ++wrong;
#pragma omp atomic
            ++parts;
            if (omp_get_thread_num() == 0) {
#pragma omp task shared(inner_parts, wrong)
                {
#pragma omp parallel num_threads(INNER)
                    {
                        if (omp_get_level() != 2)
#pragma omp atomic
                            ++wrong;
#pragma omp atomic
                        ++inner_parts;
                    }
                }
            }
        }
    }
    printf("%ld of %d, %ld of %d, %ld in the wrong region\n", parts, TURNS * TEAM, inner_parts, TURNS * INNER, wrong);
    MPI_Finalize();
    return 0;
}
