/* A file that others want while we write it:  io_shared FILE READER…
 *
 * Writes a number over and over at the beginning of FILE; each time READER, a program that is given the file on its
 * standard input or as its last argument, prints what it sees. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char** words) {
    if (count < 3) return 2;
    const int fd = open(words[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    for (int turn = 0; turn < 5; ++turn) {
        char text[32], command[4096] = "";
        snprintf(text, sizeof text, "%08d\n", turn);
        if (pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text)) return 3;
        for (int word = 2; word < count; ++word) {
            strcat(command, words[word]);
            strcat(command, " ");
        }
        strcat(command, words[1]);
        fflush(stdout);
        if (system(command) != 0) return 4;
    }
    return close(fd);
}
