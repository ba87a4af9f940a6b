// ends HOW: says its process id; then a signal of that number ends it, or for 0 it leaves with code 3.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const int how = argc > 1 ? atoi(argv[1]) : 0;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    if (how > 0) raise(how);
    return 3;
}
