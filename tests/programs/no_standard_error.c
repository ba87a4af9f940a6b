// Begins without a standard error, has a file of its own at that number, and then makes its first collective call.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char** words) {
    int sent[8] = {0}, received[8], rank;
    char name[4096];
    if (count < 2 || dup2(2, 100) >= 0) return 2;  // it is open
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", words[1], rank);
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file != 2) dup2(file, 2);  // the MPI had something there
    if (write(2, "results", 7) != 7) return 3;
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
