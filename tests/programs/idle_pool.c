// A library that starts a thread when it is loaded, as OpenBLAS does: the thread asks for some tens of milliseconds
// whether there is work, and sleeps when there was none. $POOL says what comes of it:
//   asks      nothing, for ever
//   works     after a moment of sleep it is given work for 0.2 s
//   computes  it does not ask, but computes as long
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "planted.h"

static const double kAsking_s = 0.2;
static int never;
static volatile int sleeps;  // for ever

static void* in_pool(void* what) {
    const double begin = cpu_s();
    if (strcmp(what, "computes") == 0)
        compute_s(kAsking_s);
    else
        while (cpu_s() - begin < kAsking_s)
            for (int i = 0; i < 100; ++i) sched_yield();
    if (strcmp(what, "works") == 0) {
        sleep_s(0.1);
        compute_s(0.2);
    }
    sleeps = 1;
    for (;;) syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return NULL;
}

// On a machine with other work the thread may come later than the program's end.
void wait_for_pool(void) {
    while (!sleeps && getenv("POOL") != NULL) sleep_s(0.01);
}

__attribute__((constructor)) static void start_pool(void) {
    pthread_t thread;
    char* what = getenv("POOL");
    if (what != NULL && pthread_create(&thread, NULL, in_pool, what) == 0) pthread_detach(thread);
}
