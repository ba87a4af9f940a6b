// Reaches files through calls that make them under a name of libc's choice, copy them within the kernel, lock, link and
// print to them, in amounts that test_io_copies.py knows. Works in FOLDER, or in its current one.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <unistd.h>

static char block[4096];

static void check(int holds, const char* what) {
    if (holds) return;
    perror(what);
    exit(1);
}

static void make(void) {
    char plain[] = "plain.XXXXXX", suffixed[] = "suffixed.XXXXXX.dat", appending[] = "appending.XXXXXX";
    const int fds[] = {mkstemp(plain), mkstemps(suffixed, 4), mkostemp(appending, O_APPEND)};
    for (int i = 0; i < 3; ++i) check(write(fds[i], block, 10) == 10 && close(fds[i]) == 0, "mkstemp");
}

static void copy(void) {
    const int from = open("from.dat", O_RDWR | O_CREAT, 0600), to = open("to.dat", O_RDWR | O_CREAT, 0600);
    check(write(from, block, sizeof block) == sizeof block, "write");
    off_t at = 100, there = 0;
    check(sendfile(to, from, &at, 1000) == 1000 && at == 1100, "sendfile");
    check(copy_file_range(from, &at, to, NULL, 2000, 0) == 2000, "copy_file_range");
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    check(splice(from, &there, ends[1], NULL, 300, 0) == 300, "splice into a pipe");
    check(splice(ends[0], NULL, to, NULL, 300, 0) == 300, "splice out of a pipe");
    off_t* volatile nowhere = (off_t*)8;
    check(sendfile(to, -1, NULL, 1) == -1 && copy_file_range(from, nowhere, to, NULL, 1, 0) == -1, "errors");
    check(lseek(to, 0, SEEK_CUR) == 3300 && close(from) == 0 && close(to) == 0, "close");
}

static void print_and_lock(void) {
    const int fd = open("named.dat", O_RDWR | O_CREAT, 0600);
    check(write(fd, "begun ", 6) == 6 && dprintf(fd, "line %d\n", 17 + (int)strlen(block)) == 8, "dprintf");
    check(write(fd, "ended\n", 6) == 6, "write");
    check(flock(fd, LOCK_EX) == 0 && lockf(fd, F_TEST, 0) == 0, "lock");
    check(link("named.dat", "other.dat") == 0 && close(fd) == 0, "link");
    sync();
}

int main(int count, char** arguments) {
    check(count < 2 || chdir(arguments[1]) == 0, "chdir");
    make();
    copy();
    print_and_lock();
    return 0;
}
