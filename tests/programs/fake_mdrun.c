// Looks like GROMACS' mdrun to Clearway, and has what its options are asked for in its log, so that tests of tuning
// need no clock: `gmx_fake mdrun OPTIONS`.
//   -nstlist 40   is 1.25 times as fast        -dlb yes   crashes
//   -nstlist 80   takes longer                 -dlb no    changes the energy
// FAKE_HANGS=1: -nstlist 80 never ends. FAKE_BEST=1: nothing is faster. FAKE_SLEEP_MS: how long a run takes.
// FAKE_FAILS: the job fails. The log is overwritten where there is one, and input.tpr must be there.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* option(int count, char** words, const char* name) {
    const char* found = "";
    for (int at = 1; at + 1 < count; at++)
        if (strcmp(words[at], name) == 0) found = words[at + 1];
    return found;
}

static int is(const char* word, const char* value) { return strcmp(word, value) == 0; }

// A little chance in what is told: 0.5 %.
static double chance(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    srand((unsigned)(now.tv_nsec ^ getpid()));
    return 1 + 0.005 * (2.0 * rand() / RAND_MAX - 1);
}

static void tell(int count, char** words, int ranks) {
    const char *lists = option(count, words, "-nstlist"), *balanced = option(count, words, "-dlb");
    double ns_per_day = 10 * chance();
    if (getenv("FAKE_BEST") == NULL && is(lists, "40")) ns_per_day *= 1.25;
    if (getenv("FAKE_BEST") == NULL && is(lists, "80")) ns_per_day *= 0.8;
    if (getenv("FAKE_BEST") != NULL && (*lists || *balanced)) ns_per_day *= 0.8;
    double energy = is(balanced, "no") ? -4.1e4 : -4.0e4;
    FILE* log = fopen("md.log", "w");
    if (log == NULL) exit(4);
    fprintf(log, "              :-) GROMACS - gmx mdrun, 2022.5-fake (-:\n\n");
    fprintf(log, "   verlet-buffer-tolerance        = 0.005\n   nstlist                        = 20\n");
    fprintf(log, "   coulombtype                    = PME\n   dt                             = 0.002\n");
    fprintf(log, "Using %d MPI processes\nUsing 1 OpenMP thread per MPI process\n\n", ranks);
    fprintf(log, "           Step           Time\n              0        0.00000\n\n   Energies (kJ/mol)\n");
    fprintf(log, "        LJ (SR)      Potential\n    1.00000e+03   %12.5e\n\n", energy);
    fprintf(log,
            "\t<====  A V E R A G E S  ====>\n\n Part of the total run time spent waiting due to load imbalance: "
            "9.0%%.\n\n");
    fprintf(log, "     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G\n\n");
    fprintf(log, " Neighbor search        2    1         11       0.046          0.241  33.5\n");
    fprintf(log, " Force                  2    1        401       0.822          4.274  66.5\n");
    fprintf(log, " Total                                          1.330          6.918 100.0\n");
    fprintf(log, "Performance:   %12.4f        1.000\n", ns_per_day);
    fclose(log);
}

int main(int argc, char** argv) {
    const char* sleep_ms = getenv("FAKE_SLEEP_MS");
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (access("input.tpr", R_OK) != 0 || getenv("FAKE_FAILS") != NULL) {
        fprintf(stderr, "no input here\n");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (is(option(argc, argv, "-dlb"), "yes") && rank == ranks - 1) abort();
    while (getenv("FAKE_HANGS") != NULL && is(option(argc, argv, "-nstlist"), "80")) usleep(100000);
    if (sleep_ms != NULL) usleep((useconds_t)(1000 * atoi(sleep_ms)));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) tell(argc, argv, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
