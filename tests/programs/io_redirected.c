/* Puts a descriptor where a stream of libc's has its own, and writes or reads through both. What libc does for a stream
 * no library sees: it goes to the number.
 *
 *   io_redirected FOLDER */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[4096];

static int begin(const char* folder, const char* name, int flags) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_RDWR | O_CREAT | flags, 0600);
    if (fd < 0 || write(fd, "first\n", 6) != 6) exit(2);
    return fd;
}

static void both(int fd, FILE* stream) {
    for (int i = 0; i < 3; ++i) {
        if (dprintf(fd, "number %d\n", i) < 0 || write(fd, "a", 1) != 1) exit(3);
        fprintf(stream, "stream %d\n", i);
        fflush(stream);
        if (write(fileno(stream), "b", 1) != 1) exit(4);
    }
    close(fd);
}

/* `both`, where nothing makes the file leave the cache before. */
static void mixed(int fd, FILE* stream) {
    for (int i = 0; i < 3; ++i) {
        if (write(fd, "number\n", 7) != 7) exit(3);
        fprintf(stream, "stream %d\n", i);
        fflush(stream);
    }
    close(fd);
}

/* A stream whose descriptor is closed below it: the next file that is opened or copied has its number. */
static void closed_below(const char* folder) {
    FILE* stream = fopen("/dev/null", "w");
    int fd = begin(folder, "copied", 0);
    close(fileno(stream));
    if (dup(fd) != fileno(stream)) exit(7);
    mixed(fd, stream);
    fclose(stream);

    stream = fdopen(open("/dev/null", O_WRONLY), "w");
    close(fileno(stream));
    fd = begin(folder, "opened", 0);
    if (fd != fileno(stream)) exit(8);
    mixed(fd, stream);

    stream = freopen("/dev/null", "w", fopen("/dev/null", "r"));
    const int first = begin(folder, "twice", 0);
    close(fileno(stream));
    fd = open(path, O_RDWR | O_APPEND);
    if (fd != fileno(stream) || write(first, "first", 5) != 5) exit(9);
    mixed(fd, stream);
}

int main(int count, char** arguments) {
    const char* folder = arguments[count - 1];
    FILE* other = fopen("/dev/null", "w");
    int fd = begin(folder, "over", 0);
    dup2(fd, fileno(other));
    both(fd, other);

    fd = begin(folder, "appended", O_APPEND);
    dup3(fd, fileno(other), 0);
    both(fd, other);
    fclose(other);
    closed_below(folder);

    fd = begin(folder, "lowest", 0);
    close(1);
    dup(fd); /* is 1 */
    both(fd, stdout);

    fd = begin(folder, "error", O_APPEND);
    close(2);
    fcntl(fd, F_DUPFD, 0); /* likewise */
    both(fd, stderr);

    char line[100] = "";
    fd = begin(folder, "input", 0);
    lseek(fd, 0, SEEK_SET);
    dup2(fd, 0);
    if (fgets(line, sizeof line, stdin) == NULL || strcmp(line, "first\n") != 0) return 5;
    return write(fd, line, 6) == 6 && lseek(0, 0, SEEK_CUR) == 12 ? 0 : 6;
}
