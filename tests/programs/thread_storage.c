/* Has BYTES of thread-local storage, and writes a file:  thread_storage FILE */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static _Thread_local volatile char storage[BYTES];

int main(int count, char** words) {
    const struct timespec while_others_work = {0, 300000000};
    if (count != 2) return 2;
    storage[BYTES - 1] = 1;
    const int fd = open(words[1], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || write(fd, "x", 1) != 1) return 2;
    nanosleep(&while_others_work, NULL);
    puts("well");
    return 0;
}
