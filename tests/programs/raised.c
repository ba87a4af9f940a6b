// Which exceptions of floating-point arithmetic are raised after calls on files, at moments at which a recorder looks
// at its clock. This program computes nothing.
#include <fcntl.h>
#include <fenv.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    feclearexcept(FE_ALL_EXCEPT);
    for (int turn = 0; turn < 8; ++turn) {
        const int fd = open("/dev/null", O_WRONLY);
        if (fd < 0 || write(fd, "x", 1) != 1) return 1;
        close(fd);
        usleep(60000);
    }
    printf("raised %d\n", fetestexcept(FE_ALL_EXCEPT));
    return 0;
}
