/* A PME-like molecular dynamics step, with nothing but its communication and a little arithmetic:
 *
 *   - exchange of halos with the two neighbours on a ring of ranks: Isend, Irecv, Waitall
 *   - forward and back transposition of a 3D FFT grid: two MPI_Alltoall of real data
 *   - the energy: MPI_Allreduce
 *
 * The grid is transposed, its elements are checked, and it is transposed back: a wrong byte anywhere ends the
 * program with exit code 1.
 *
 *   mpicc -O2 pme_like.c -o pme_like && mpirun -np 4 ./pme_like --steps 200 --size 64
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    long steps;     /* of the run */
    long size;      /* points along an edge of the grid */
    long halo;      /* doubles exchanged with each neighbour */
    double work_ms; /* arithmetic of a rank in a step */
} Settings;

/* Element of the global grid, as every rank can compute it. */
static double element(long row, long column) { return (double)(row * 100003 + column % 99991); }

static void parse(int count, char** words, Settings* settings) {
    for (int i = 1; i < count; i += 2) {
        const char* value = i + 1 < count ? words[i + 1] : NULL;
        char* end = NULL;
        const double number = value != NULL ? strtod(value, &end) : 0;
        const int is_number = value != NULL && end != value && *end == '\0' && number >= 0;
        if (is_number && strcmp(words[i], "--steps") == 0)
            settings->steps = (long)number;
        else if (is_number && strcmp(words[i], "--size") == 0 && number >= 1)
            settings->size = (long)number;
        else if (is_number && strcmp(words[i], "--halo") == 0)
            settings->halo = (long)number;
        else if (is_number && strcmp(words[i], "--work-ms") == 0)
            settings->work_ms = number;
        else {
            fprintf(stderr, "usage: pme_like [--steps N] [--size POINTS] [--halo DOUBLES] [--work-ms MS]\n");
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

/* Spins on arithmetic that the compiler cannot remove. Returns something that depends on it. */
static double compute(double work_ms) {
    volatile double sum = 0;
    const double until = MPI_Wtime() + work_ms * 1e-3;
    do {
        for (int i = 1; i < 2000; ++i) sum += 1.0 / i;
    } while (MPI_Wtime() < until);
    return sum;
}

/* Swaps the halo with both neighbours; returns 0 if what came is what the neighbours sent. */
static int exchange_halo(int rank, int ranks, long step, long halo, double* send, double* receive) {
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Request requests[4];
    for (long i = 0; i < 2 * halo; ++i) send[i] = (double)(rank + step + i);
    MPI_Irecv(receive, (int)halo, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(receive + halo, (int)halo, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(send, (int)halo, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(send + halo, (int)halo, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Status statuses[4]; /* GCC 12 warns of MPICH's MPI_STATUSES_IGNORE */
    MPI_Waitall(4, requests, statuses);
    for (long i = 0; i < halo; ++i) {
        if (receive[i] != (double)(left + step + i)) return 1;
        if (receive[halo + i] != (double)(right + step + halo + i)) return 1;
    }
    return 0;
}

int main(int count, char** words) {
    Settings settings = {200, 64, 2000, 2.0};
    int rank, ranks, wrong = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    parse(count, words, &settings);

    /* A rank owns `rows` planes of the grid; a plane is dealt out to the ranks in blocks of `block` elements. */
    const long rows = (settings.size + ranks - 1) / ranks;
    const long block = rows * settings.size;
    const long mine = rows * ranks * block; /* elements of this rank */
    double *grid = malloc((size_t)mine * sizeof *grid), *transposed = malloc((size_t)mine * sizeof *grid);
    double *send = calloc((size_t)settings.halo * 2 + 1, sizeof *send),
           *receive = malloc((size_t)(settings.halo * 2 + 1) * sizeof *send);
    if (grid == NULL || transposed == NULL || send == NULL || receive == NULL) {
        fprintf(stderr, "pme_like: no memory for a grid of %ld^3 points\n", settings.size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const long to_one = rows * block; /* elements that one rank sends to another */
    for (long i = 0; i < mine; ++i) grid[i] = element(rank, i);

    double energy = 0, total = 0;
    const double start = MPI_Wtime();
    for (long step = 0; step < settings.steps && wrong == 0; ++step) {
        energy = compute(settings.work_ms);
        wrong |= exchange_halo(rank, ranks, step, settings.halo, send, receive);
        MPI_Alltoall(grid, (int)to_one, MPI_DOUBLE, transposed, (int)to_one, MPI_DOUBLE, MPI_COMM_WORLD);
        for (long i = 0; i < mine; i += 61) wrong |= transposed[i] != element(i / to_one, rank * to_one + i % to_one);
        MPI_Alltoall(transposed, (int)to_one, MPI_DOUBLE, grid, (int)to_one, MPI_DOUBLE, MPI_COMM_WORLD);
        for (long i = 0; i < mine; i += 61) wrong |= grid[i] != element(rank, i);
        MPI_Allreduce(&energy, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    const double elapsed_s = MPI_Wtime() - start;
    if (wrong != 0) fprintf(stderr, "pme_like: rank %d received wrong data\n", rank);
    if (rank == 0)
        printf("%ld steps on %d ranks: %.3f ms a step\n", settings.steps, ranks,
               elapsed_s * 1e3 / (double)(settings.steps > 0 ? settings.steps : 1));
    free(grid), free(transposed), free(send), free(receive);
    MPI_Finalize();
    return wrong != 0;
}
