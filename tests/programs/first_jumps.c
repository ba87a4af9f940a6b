/* Threads that are hit by signals from their first file call on, whose handler leaves by a jump.
 *
 *   first_jumps FOLDER THREADS
 *
 * Each thread tries its first calls until it is through; then it says so. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static __thread sigjmp_buf back;
static __thread volatile int may_jump, file = -1;
static volatile int busy; /* while a thread works */
static const char* folder;

static void on_signal(int number) {
    (void)number;
    if (!may_jump) return;
    may_jump = 0;
    siglongjmp(back, 1);
}

static void* work(void* number) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%ld", folder, (long)number);
    if (sigsetjmp(back, 1) != 0 && file >= 0) close(file);
    file = -1;
    may_jump = 1;
    file = open(name, O_RDWR | O_CREAT, 0600);
    if (file < 0 || write(file, "text\n", 5) != 5 || close(file) != 0) exit(1);
    may_jump = 0;
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return NULL;
}

int main(int count, char** arguments) {
    if (count != 3) return 2;
    folder = arguments[1];
    const long threads = atol(arguments[2]);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    for (long i = 0; i < threads; ++i) {
        pthread_t thread;
        busy = 1;
        if (pthread_create(&thread, NULL, work, (void*)i) != 0) return 1;
        for (int sent = 0; sent < 300 && __atomic_load_n(&busy, __ATOMIC_ACQUIRE); ++sent) {
            pthread_kill(thread, SIGUSR1);
            for (volatile int wait = rand() % 20000; wait > 0; --wait) {
            }
        }
        pthread_join(thread, NULL);
    }
    printf("%ld\n", threads);
    return 0;
}
