/* Signals that are sent to the process as a whole while it has them blocked, and that it takes a moment later. A file
 * is open meanwhile. Prints how many of each came.
 *
 *   io_waits_for_signals FOLDER */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 5 };

int main(int count, char** arguments) {
    if (count != 2 || chdir(arguments[1]) != 0) return 2;
    const int file = open("scratch", O_CREAT | O_RDWR, 0600);
    if (write(file, "bytes", 5) != 5) return 3;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    usleep(50 * 1000); /* whoever waits for signals beside us does so by now */
    for (int number = 1; number <= SIGRTMAX; ++number) {
        if (number == SIGKILL || number == SIGSTOP || number == SIGCONT || (number > SIGSYS && number < SIGRTMIN))
            continue;
        if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU) continue;
        int came = 0;
        for (int i = 0; i < TIMES; ++i) {
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, number);
            kill(getpid(), number);
            usleep(1000);
            const struct timespec none = {0, 0};
            came += sigtimedwait(&one, NULL, &none) == number;
        }
        if (came != TIMES) printf("signal %d came %d times\n", number, came);
    }
    printf("all were sent\n");
    return 0;
}
