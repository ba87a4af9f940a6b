/* One file, and an end:  io_ends FILE END BYTES
 *
 *   deletes   writes, reads all of it three times, closes and deletes it
 *   closes    writes and closes
 *   leaves    writes, and exits with the file open
 *   skips     writes, and leaves by _exit
 *   becomes   writes, and becomes another program, with the file open
 *   syncs     writes, fsyncs, writes as much again, and is killed
 *   dies      closes the file, and is killed 2 s later
 *   fills     writes until there is no more room, and says where that was: at which write, at close, or nowhere */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 65536 };
static char block[BLOCK];

static void write_all(int fd, long bytes) {
    for (long at = 0; at < bytes; at += BLOCK) {
        memset(block, 'a' + (int)(at / BLOCK % 26), BLOCK);
        if (write(fd, block, BLOCK) != BLOCK) exit(3);
    }
}

static void fill(int fd, long bytes) {
    for (long at = 0; at < bytes; at += BLOCK) {
        if (write(fd, block, BLOCK) == BLOCK) continue;
        printf("write: %s\n", errno != 0 ? strerror(errno) : "short");
        exit(0);
    }
    printf("close: %s\n", close(fd) == 0 ? "no error" : strerror(errno));
}

int main(int count, char **words) {
    if (count != 4) return 2;
    const char *path = words[1], *end = words[2];
    const long bytes = atol(words[3]);
    const int fd = open(path, O_RDWR | O_CREAT, 0644);
    if (fd < 0) return 2;
    if (strcmp(end, "fills") == 0) {
        fill(fd, bytes);
        return 0;
    }
    write_all(fd, bytes);
    if (strcmp(end, "deletes") == 0) {
        for (int scan = 0; scan < 3; ++scan) {
            lseek(fd, 0, SEEK_SET);
            for (long at = 0; at < bytes; at += BLOCK)
                if (read(fd, block, BLOCK) != BLOCK || block[0] != 'a' + (int)(at / BLOCK % 26)) return 4;
        }
        close(fd);
        return unlink(path) == 0 ? 0 : 5;
    }
    if (strcmp(end, "closes") == 0) return close(fd) == 0 ? 0 : 5;
    if (strcmp(end, "skips") == 0) _exit(0);
    if (strcmp(end, "becomes") == 0) execlp("true", "true", (char *)NULL);
    if (strcmp(end, "syncs") == 0) {
        if (fsync(fd) != 0) return 5;
        write_all(fd, bytes);
        raise(SIGKILL);
    }
    if (strcmp(end, "dies") == 0) {
        close(fd);
        sleep(2);
        raise(SIGKILL);
    }
    return 0;
}
