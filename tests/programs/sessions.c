// Opens a session, makes a communicator of this process alone, and then one of all processes: of the session's
// "mpi://WORLD", or MPI_COMM_WORLD. In it each rank sends 24 bytes to the next. Says its rank and what came.
//   sessions session|init
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
    const int is_init = count > 1 && strcmp(arguments[1], "init") == 0;
    MPI_Session session;
    MPI_Group alone, all;
    MPI_Comm self, world = MPI_COMM_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &alone);
    MPI_Comm_create_from_group(alone, "alone", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &self);
    MPI_Barrier(self);
    if (is_init) {
        MPI_Init(&count, &arguments);
        world = MPI_COMM_WORLD;
    } else {
        MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
        MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
        MPI_Group_free(&all);
    }
    int rank, ranks;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int mine[6] = {rank, rank, rank, rank, rank, rank};
    int theirs[6];
    MPI_Sendrecv(mine, 6, MPI_INT, (rank + 1) % ranks, 1, theirs, 6, MPI_INT, (rank + ranks - 1) % ranks, 1, world,
                 MPI_STATUS_IGNORE);
    const int whole = rank;
    int same;
    MPI_Sendrecv(&whole, 1, MPI_INT, 0, 2, &same, 1, MPI_INT, 0, 2, self, MPI_STATUS_IGNORE);
    printf("rank %d of %d: %d %d\n", rank, ranks, theirs[0], same);
    MPI_Group_free(&alone);
    MPI_Comm_free(&self);
    if (is_init)
        MPI_Finalize();
    else
        MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
    return 0;
}
