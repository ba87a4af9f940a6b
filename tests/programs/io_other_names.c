/* Opens, moves in, copies and closes a file by libc's other names of these functions, in turn with the usual ones.
 *
 *   io_other_names FOLDER */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int __open(const char* path, int flags, ...);
int __open64(const char* path, int flags, ...);
ssize_t __read(int fd, void* buffer, size_t bytes);
ssize_t __write(int fd, const void* buffer, size_t bytes);
ssize_t __pread64(int fd, void* buffer, size_t bytes, off_t at);
ssize_t __pwrite64(int fd, const void* buffer, size_t bytes, off_t at);
off_t __lseek(int fd, off_t offset, int whence);
int __close(int fd);
int __dup2(int fd, int wanted);
int __fcntl(int fd, int command, ...);

static void say(const char* what, long result) { printf("%s %ld\n", what, result); }

int main(int count, char** arguments) {
    char bytes[64] = "";
    if (count != 2 || chdir(arguments[1]) != 0) return 2;
    const int file = open("scratch", O_CREAT | O_RDWR, 0600);
    say("write", write(file, "one two three", 13));
    say("__write", __write(file, " four", 5));
    const int again = __open("scratch", O_RDWR);
    say("__pwrite64", __pwrite64(again, "TWO", 3, 4));
    say("__lseek", __lseek(file, -4, SEEK_END));
    say("__read", __read(file, bytes, 4));
    say("lseek", lseek(file, 0, SEEK_CUR));
    say("__pread64", __pread64(file, bytes + 4, 60, 4));
    say("__fcntl", __fcntl(again, F_GETFL) & O_ACCMODE);
    printf("%s\n", bytes);

    say("write", write(again, "ONE", 3));
    const int copy = __fcntl(again, F_DUPFD, 30);
    say("__dup2", __dup2(again, 31));
    say("write", write(copy, "#", 1));
    say("write", write(31, "#", 1));
    say("__close", __close(again));
    const int other = __open64("other", O_CREAT | O_RDWR, 0600); /* has the number that was closed */
    say("the same", other == again);
    say("write", write(other, "other", 5));
    say("write", write(31, "#", 1));
    __close(other);
    __close(file);
    __close(copy);
    say("lseek", lseek(31, 0, SEEK_CUR));
    return 0;
}
