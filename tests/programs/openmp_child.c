// A child that was forked between two regions has regions of its own: those are none of its parent's.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int team(int threads) {
    int parts = 0;
#pragma omp parallel num_threads(threads) reduction(+ : parts)
    ++parts;
    return parts;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    printf("%d\n", team(2));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(team(3) * 10 + team(1));
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    MPI_Finalize();
    return 0;
}
