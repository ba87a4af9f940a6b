// A library for LD_PRELOAD: whoever asks for the host's network interfaces waits for SLOW_S seconds, as where a network
// card's driver does not answer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <time.h>

int getifaddrs(struct ifaddrs** list) {
    int (*real)(struct ifaddrs**) = (int (*)(struct ifaddrs**))dlsym(RTLD_NEXT, "getifaddrs");
    const char* text = getenv("SLOW_S");
    const double seconds = text != NULL ? atof(text) : 0;
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&pause, NULL);
    return real(list);
}
