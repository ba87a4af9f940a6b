/* Reaches files through many of libc's doors, in amounts that test_io_hooks.py knows. Works in its current folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char block[4096];

static void check(int holds, const char* what) {
    if (holds) return;
    fprintf(stderr, "%s: errno %d\n", what, errno);
    exit(1);
}

static void descriptors(void) {
    int fd = open("blocks.dat", O_CREAT | O_RDWR | O_TRUNC, 0640);
    struct stat status;
    check(fd >= 0 && fstat(fd, &status) == 0 && status.st_mode == 0100640, "open with a mode");
    for (int i = 0; i < 100; ++i) check(write(fd, block, sizeof block) == sizeof block, "write");
    check(fsync(fd) == 0, "fsync");
    for (int pass = 0; pass < 3; ++pass) {
        check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
        for (int i = 0; i < 100; ++i) check(read(fd, block, sizeof block) == sizeof block, "read");
    }
    for (int i = 0; i < 50; ++i) check(pread(fd, block, 100, (i * 7919) % 400000) == 100, "pread");
    char* map = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
    check(map != MAP_FAILED, "mmap");
    check(msync(map + 4096, 4096, MS_SYNC) == 0 && msync(map, 8192, MS_SYNC) == 0, "msync");
    char* other = mmap(NULL, 8192, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(other != MAP_FAILED && msync(other, 8192, MS_SYNC) == 0, "msync of no file");
    int copy = dup(fd);
    check(pwrite(copy, block, 10, 1 << 20) == 10 && close(copy) == 0 && close(fd) == 0, "pwrite through a copy");
}

static void streams(void) {
    FILE* stream = fopen("lines.txt", "w");
    for (int i = 0; i < 1000; ++i) check(fprintf(stream, "line %03d\n", i) == 9, "fprintf");
    check(fputc('x', stream) == 'x' && fclose(stream) == 0, "fputc");
    stream = fopen("lines.txt", "r");
    char* line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stream) > 0) continue;
    rewind(stream);
    while (fgetc(stream) != EOF) continue;
    check(fclose(stream) == 0, "fclose");
    free(line);
    check(unlink("lines.txt") == 0, "unlink");
}

static void special(void) {
    int hidden = open(".", O_TMPFILE | O_RDWR, 0600);
    if (hidden >= 0) check(write(hidden, block, 1000) == 1000 && close(hidden) == 0, "O_TMPFILE");
    char name[] = "made.XXXXXX";
    int made = mkstemp(name);
    check(write(made, block, 77) == 77 && close(made) == 0 && remove(name) == 0, "mkstemp");
    struct iovec parts[2] = {{block, 10}, {block, 20}};
    int log = open("log.dat", O_CREAT | O_WRONLY | O_APPEND, 0600);
    check(writev(log, parts, 2) == 30 && writev(log, parts, 2) == 30 && close(log) == 0, "writev");
    check(mkdir("folder", 0700) == 0 && symlink("folder", "link") == 0, "mkdir");
    int linked = open("link/inner.dat", O_CREAT | O_EXCL | O_WRONLY, 0600);
    check(close(linked) == 0 && unlink("link/inner.dat") == 0, "unlink through a link");
}

static void errors_and_pipes(void) {
    errno = 0;
    check(open("/nonexistent/file", O_RDONLY) == -1 && errno == ENOENT, "errno of open");
    errno = 0;
    check(read(-1, block, 1) == -1 && errno == EBADF, "errno of read");
    int ends[2];
    check(pipe(ends) == 0 && write(ends[1], "x", 1) == 1 && read(ends[0], block, 1) == 1, "pipe");
    /* The number of a closed file comes back as a socket: what goes through it is no file's. */
    int file = open("blocks.dat", O_RDONLY);
    close(file);
    int pair[2];
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pair[0] == file, "socketpair");
    check(write(pair[0], "y", 1) == 1 && read(pair[1], block, 1) == 1, "socket");
}

int main(void) {
    descriptors();
    streams();
    special();
    errors_and_pipes();
    puts("done");
    return 5;
}
