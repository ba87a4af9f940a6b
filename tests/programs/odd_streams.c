/* Streams over memory and callbacks, and one that appends, on a descriptor that was put in place of its own: prints
 * errno after calls that met no error, and where the descriptor stands.
 *
 *   odd_streams FILE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ssize_t nothing(void* cookie, char* bytes, size_t count) {
    (void)cookie, (void)bytes, (void)count;
    return 0;
}

static void say(const char* what, long result) {
    printf("%s %ld errno %d\n", what, result, errno);
    errno = 0;
}

static void ask(FILE* stream) {
    char* line = NULL;
    size_t size = 0;
    errno = 0;
    say("getline", getline(&line, &size, stream)); /* -1 and no errno: the end */
    say("fread", (long)fread(line, 1, 1, stream));
    say("fflush", fflush(stream));
    say("fclose", fclose(stream));
    free(line);
}

int main(int count, char** arguments) {
    ask(fopencookie(NULL, "r", (cookie_io_functions_t){.read = nothing}));
    FILE* memory = fmemopen(NULL, 100, "w+");
    errno = 0;
    say("fprintf", fprintf(memory, "a line\n"));
    rewind(memory);
    ask(memory);

    FILE* log = fopen("/dev/null", "a");
    const int fd = open(arguments[count - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (log == NULL || write(fd, "0123456789", 10) != 10) return 1;
    lseek(fd, 3, SEEK_SET);
    dup2(fd, fileno(log));
    fputs("more", log);
    fclose(log); /* it appends, where its descriptor does not: to the fourth byte */
    say("closed", lseek(fd, 0, SEEK_CUR));
    return 0;
}
