// Starts children in every way there is between MPI calls, and shows what a child inherits: its open files
// and its environment, both without the numbers that change from run to run.
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int rank;

static void show(const char* what, int status) {
    printf("rank %d %s: %d\n", rank, what, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    fflush(stdout);
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int status = 0;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {  // works and writes a file, as Python's multiprocessing does; no MPI
        char path[64];
        snprintf(path, sizeof path, "/tmp/child.%d", (int)getpid());
        FILE* file = fopen(path, "w");
        if (file == NULL || fprintf(file, "%0100000d", 1) != 100000 || fclose(file) != 0) _exit(1);
        unlink(path);
        exit(21);
    }
    waitpid(child, &status, 0);
    show("fork", status);
    barrier();

    child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 22", (char*)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    show("fork and exec", status);
    barrier();

    show("system", system("exit 23"));
    char* arguments[] = {"sh", "-c", "exit 24", NULL};
    posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);
    waitpid(child, &status, 0);
    show("posix_spawn", status);
    barrier();

    // The child shows the files that it has open.
    FILE* files = popen(
        "for fd in /proc/self/fd/*; do readlink $fd; done | sed 's/[0-9]\\+/N/g' | grep -v /proc/ | sort | uniq -c",
        "r");
    char line[4096];
    while (fgets(line, sizeof line, files) != NULL) printf("rank %d child has %s", rank, line);
    show("popen", pclose(files));
    MPI_Finalize();
    return 0;
}
