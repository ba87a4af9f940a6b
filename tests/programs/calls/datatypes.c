// Messages of derived datatypes: their bytes are the type's size, not its extent.
#include "calls.h"

enum { kRows = 10, kColumns = 7 };

void datatypes(const struct World* w) {
    double out[kRows][kColumns], in[kRows][kColumns] = {{0}};
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kColumns; ++j) out[i][j] = w->rank + i + j / 10.0;

    MPI_Datatype column, particle;
    MPI_Type_vector(kRows, 1, kColumns, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    CALL_BYTES(MPI_Sendrecv, kRows * sizeof(double), &out[0][2], 1, column, w->next, 1, &in[0][3], 1, column,
               w->previous, 1, w->comm, MPI_STATUS_IGNORE);
    tally_result(in, sizeof in);

    struct Particle {
        double x[3];
        int kind;
        char charge;
    } mine[5], theirs[5];
    memset(mine, 0, sizeof mine);
    memset(theirs, 0, sizeof theirs);
    for (int i = 0; i < 5; ++i) mine[i] = (struct Particle){{w->rank, i, 0.5}, i, (char)w->rank};
    MPI_Datatype packed;
    MPI_Type_create_struct(
        3, (int[]){3, 1, 1},
        (MPI_Aint[]){offsetof(struct Particle, x), offsetof(struct Particle, kind), offsetof(struct Particle, charge)},
        (MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_CHAR}, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(struct Particle), &particle);
    MPI_Type_commit(&particle);
    const long bytes = 5 * (3 * (long)sizeof(double) + (long)sizeof(int) + 1);
    CALL_BYTES(MPI_Sendrecv, bytes, mine, 5, particle, w->next, 2, theirs, 5, particle, w->previous, 2, w->comm,
               MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; ++i) tally_result(theirs[i].x, sizeof theirs[i].x);

    // Half a million bytes: far above every eager limit.
    const int many = 1 << 16;
    double* large_out = malloc(many * sizeof(double));
    double* large_in = malloc(many * sizeof(double));
    for (int i = 0; i < many; ++i) large_out[i] = w->rank + 1.0 / (i + 1);
    CALL_BYTES(MPI_Sendrecv, many * (long)sizeof(double), large_out, many, MPI_DOUBLE, w->next, 3, large_in, many,
               MPI_DOUBLE, w->previous, 3, w->comm, MPI_STATUS_IGNORE);
    tally_result(large_in, many * sizeof(double));
    free(large_out);
    free(large_in);

    char buffer[256];
    int position = 0;
    MPI_Pack(mine, 2, particle, buffer, sizeof buffer, &position, w->comm);
    position = 0;
    MPI_Unpack(buffer, sizeof buffer, &position, theirs, 2, particle, w->comm);
    MPI_Type_free(&column);
    MPI_Type_free(&packed);
    MPI_Type_free(&particle);
}
