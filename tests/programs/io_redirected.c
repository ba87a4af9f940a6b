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
