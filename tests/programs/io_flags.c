/* What fcntl tells of files that were opened in many ways, twice each: the same with the files in a cache.
 *
 *   io_flags FOLDER */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char** arguments) {
    (void)count;
    const int ways[] = {O_RDWR | O_CREAT,    O_WRONLY | O_CREAT,   O_RDONLY,           O_RDWR | O_APPEND,
                        O_RDWR | O_NONBLOCK, O_WRONLY | O_NOATIME, O_RDWR | O_CLOEXEC, O_RDWR | O_TRUNC | O_NOFOLLOW,
                        O_RDONLY | O_NOCTTY};
    char name[4096];
    snprintf(name, sizeof name, "%s/file", arguments[1]);
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i) {
        int first = open(name, ways[i], 0600), second = openat(AT_FDCWD, name, ways[i], 0600);
        printf("%u: %d %x, %d %x", i, first, fcntl(first, F_GETFL), second, fcntl(second, F_GETFL));
        printf(" %d %x", fcntl(first, F_SETFL, O_APPEND | O_NONBLOCK), fcntl(first, F_GETFL));
        printf(" %d %x", fcntl(first, F_SETFL, 0), fcntl(first, F_GETFL));
        printf(" %d %x", fcntl(first, F_SETFL, O_NONBLOCK), fcntl(first, F_GETFL));
        printf(" %d %x, %x\n", fcntl(first, F_SETFL, O_NOATIME), fcntl(first, F_GETFL), fcntl(second, F_GETFL));
        close(first);
        close(second);
    }
    const int held = open(name, O_RDWR, 0600); /* opened again in a way that the cache does not serve */
    const int direct = open(name, O_RDONLY | O_NONBLOCK | O_DIRECT | O_NOATIME);
    printf("%d %x\n", held < direct, fcntl(direct, F_GETFL));
    close(direct);
    close(held);
    snprintf(name, sizeof name, "%s/made.XXXXXX", arguments[1]);
    int made = mkstemp(name), copy = dup(made);
    printf("%x\n", fcntl(made, F_GETFL));
    fcntl(copy, F_SETFL, O_APPEND | O_NONBLOCK);
    printf("%x\n", fcntl(made, F_GETFL));
    fflush(stdout);
    if (fork() == 0) { /* files leave */
        printf("%x %x\n", fcntl(made, F_GETFL), fcntl(copy, F_GETFL));
        return 0;
    }
    return 0;
}
