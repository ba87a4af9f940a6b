// Caches a communicator on another one, as PETSc and mpi4py do, whose delete function frees it: inside the
// MPI_Comm_free of the other. The next communicator has its handle. Then has more communicators than the record has
// room for. On each the ranks tell each other what they are, by large-count functions where there are any, and all of
// it must arrive.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WEAK __attribute__((weak))
WEAK int MPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[],
                          MPI_Datatype, MPI_Comm);
WEAK int MPI_Reduce_scatter_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm);

enum { kMost = 8 };

static int rank, size, wrong;

static int free_cached(MPI_Comm comm, int key, void* cached, void* extra) {
    (void)comm, (void)key, (void)extra;
    return MPI_Comm_free((MPI_Comm*)cached);
}

// Where the arrays are of too few elements, the others are what malloc left behind.
static void stir(void) {
    char* dirty[64];
    for (int i = 0; i < 64; ++i)
        if ((dirty[i] = malloc(16)) != NULL)
            for (int at = 0; at < 16; ++at) dirty[i][at] = 0x55;
    for (int i = 0; i < 64; ++i) free(dirty[i]);
}

static void expect(int found, int wanted) { wrong += found != wanted; }

static void gather(MPI_Comm comm) {
    int in[kMost] = {0}, counts[kMost], places[kMost];
    MPI_Count wide_counts[kMost];
    MPI_Aint wide_places[kMost];
    for (int i = 0; i < kMost; ++i) {
        wide_counts[i] = counts[i] = 1;
        wide_places[i] = places[i] = i;
    }
    stir();
    if (MPI_Allgatherv_c)
        MPI_Allgatherv_c(&rank, 1, MPI_INT, in, wide_counts, wide_places, MPI_INT, comm);
    else
        MPI_Allgatherv(&rank, 1, MPI_INT, in, counts, places, MPI_INT, comm);
    for (int i = 0; i < size; ++i) expect(in[i], i);
}

// Rank 0 is alone on its side; the counts are of one's own side.
static void reduce_between(void) {
    MPI_Comm side, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 1, &both);
    const int here = rank > 0 ? size - 1 : 1, each = (size - 1) / here;
    int out[kMost], in[kMost] = {0}, *counts = malloc((size_t)here * sizeof *counts);
    MPI_Count* wide_counts = malloc((size_t)here * sizeof *wide_counts);
    for (int i = 0; i < kMost; ++i) out[i] = 1;
    for (int i = 0; i < here; ++i) wide_counts[i] = counts[i] = each;
    if (MPI_Reduce_scatter_c)
        MPI_Reduce_scatter_c(out, in, wide_counts, MPI_INT, MPI_SUM, both);
    else
        MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, both);
    for (int i = 0; i < each; ++i) expect(in[i], size - here);
    free(counts);
    free(wide_counts);
    MPI_Comm_free(&both);
    MPI_Comm_free(&side);
}

int main(int argc, char** argv) {
    const int more = argc > 1 ? atoi(argv[1]) : 0;
    int key;
    MPI_Comm holder, cached, kept[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_cached, &key, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &holder);
    MPI_Comm_dup(MPI_COMM_SELF, &cached);
    MPI_Barrier(cached);
    MPI_Comm_set_attr(holder, key, &cached);
    MPI_Comm_free(&holder);
    for (int i = 0; i < 4; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &kept[i]);
        gather(kept[i]);
    }
    reduce_between();
    for (int i = 0; i < more; ++i) {
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        gather(copy);
        MPI_Comm_free(&copy);
    }
    for (int i = 0; i < 4; ++i) MPI_Comm_free(&kept[i]);
    MPI_Comm_free_keyval(&key);
    printf("rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return 0;
}
