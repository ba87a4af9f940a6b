/* Files that leave the cache when the table of descriptors is full, or when their numbers are beyond the limit by then.
 * Each descriptor must have a position and an access of its own afterwards: else bytes go to the wrong place.
 *
 *   io_full_table FOLDER SOFT HARD */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void limit_to(const char* soft, const char* hard) {
    const struct rlimit limit = {strtoul(soft, NULL, 10), strtoul(hard, NULL, 10)};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) exit(2);
}

static void say(const char* what, long result) { printf("%s %ld\n", what, result); }

static void leave(int fd) {
    int waiting;
    ioctl(fd, FIONREAD, &waiting);
}

int main(int count, char** arguments) {
    if (count != 4 || chdir(arguments[1]) != 0) return 2;

    /* Opened twice, and for writing alone, in a full table. */
    limit_to(arguments[2], arguments[3]);
    const int first = open("twice", O_CREAT | O_RDWR, 0644), second = open("twice", O_RDWR);
    const int writing = open("writing", O_CREAT | O_WRONLY, 0644);
    say("write", write(first, "aaaaaaaaaa", 10));
    say("write", write(writing, "wwww", 4));
    say("seek", lseek(second, 5, SEEK_SET));
    int copies[4096], made = 0;
    while (made < 4096 && (copies[made] = dup(0)) >= 0) ++made;
    say("copies", made);
    leave(first);
    leave(writing);
    char byte;
    say("read of what is open for writing", pread(writing, &byte, 1, 0));
    say("write", write(second, "BB", 2));
    say("write", write(first, "AA", 2));
    say("at", lseek(first, 0, SEEK_CUR));
    say("at", lseek(second, 0, SEEK_CUR));

    /* One for appending at the last place. */
    close(copies[--made]);
    const int appending = open("appending", O_CREAT | O_WRONLY | O_APPEND, 0644);
    say("write", write(appending, "one", 3));
    say("seek", lseek(appending, 0, SEEK_SET));
    say("write", write(appending, "two", 3));
    leave(appending);
    say("write", write(appending, "three", 5));
    close(appending);
    while (made > 0) close(copies[--made]);

    /* The limit is lower by the time. */
    for (made = 0; made < 32; ++made) copies[made] = dup(0);
    const int high = open("high", O_CREAT | O_RDWR, 0644), higher = open("high", O_RDWR);
    say("write", write(high, "hhhhhhhhhh", 10));
    limit_to("20", arguments[3]);
    leave(high);
    say("write", write(higher, "HH", 2));
    const int more = open("more", O_CREAT | O_RDWR, 0644);
    say("none", more);
    return 0;
}
