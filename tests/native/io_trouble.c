/* What a preloaded library must survive: cancelled threads, children of every kind, interrupted calls, a program
 * that closes descriptors it never opened. Prints what a bare run prints. Works in its current folder. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static int data, ends[2];

static void write_farewell(void* unused) {
    (void)unused;
    FILE* stream = fopen("farewell.txt", "w");
    fputs("cancelled\n", stream);
    fclose(stream);
}

static void* blocked_in_read(void* unused) {
    char byte;
    pthread_cleanup_push(write_farewell, NULL);
    if (read(ends[0], &byte, 1) < 0) perror("read");
    pthread_cleanup_pop(0);
    return unused;
}

static void* busy_reading(void* unused) {
    char buffer[4096];
    for (;;)
        if (pread(data, buffer, sizeof buffer, 0) < 0) return unused;
}

static void* shared_reading(void* unused) {
    char buffer[64];
    for (int i = 0; i < 20000; ++i)
        if (pread(data, buffer, sizeof buffer, i % 4000) != sizeof buffer) abort();
    return unused;
}

static void cancel(const char* name, void* (*body)(void*)) {
    pthread_t thread;
    void* result = NULL;
    pthread_create(&thread, NULL, body, NULL);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s: %s\n", name, result == PTHREAD_CANCELED ? "cancelled" : "ended");
}

static void on_alarm(int number) {
    (void)number;
    int saved = errno;
    int fd = open("signal.txt", O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (write(fd, "s", 1) != 1) abort();
    close(fd);
    errno = saved;
}

static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static void children(void) {
    char line[100], buffer[10];
    printf("system: %d\n", WEXITSTATUS(system("exit 3")));
    FILE* pipe_stream = popen("wc -c < data.dat", "r");
    printf("popen: %s", fgets(line, sizeof line, pipe_stream));
    printf("pclose: %d\n", pclose(pipe_stream));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        write_farewell(NULL);
        _exit(pread(data, buffer, sizeof buffer, 0) == sizeof buffer ? 7 : 8);
    }
    printf("fork: %d\n", status_of(child));
    child = vfork();
    if (child == 0) {
        int fd = open("vfork.txt", O_CREAT | O_WRONLY, 0600);
        dup2(fd, 9);
        close(fd);
        close(data);
        execl("/bin/true", "true", (char*)NULL);
        _exit(9);
    }
    printf("vfork: %d\n", status_of(child));
    printf("still readable: %d\n", (int)pread(data, buffer, sizeof buffer, 0));
    char* arguments[] = {"true", NULL};
    printf("spawn: %d\n", posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ));
    status_of(child);
}

static void interruptions(void) {
    char buffer[4096];
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 1000}, {0, 1000}}, once = {{0, 0}, {0, 50000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100000; ++i)
        if (pread(data, buffer, sizeof buffer, 0) != sizeof buffer) abort();
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_REAL, &once, NULL);
    errno = 0;
    ssize_t result = read(ends[0], buffer, 1);
    printf("interrupted: %d %d\n", (int)result, errno == EINTR);
}

int main(void) {
    static char zeros[8192];
    data = open("data.dat", O_CREAT | O_RDWR, 0600);
    if (write(data, zeros, sizeof zeros) != sizeof zeros || pipe(ends) != 0) return 1;
    cancel("blocked thread", blocked_in_read);
    cancel("busy thread", busy_reading);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, shared_reading, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    children();
    interruptions();
    for (int fd = 3; fd < 2000; ++fd) close(fd);
    int after = open("after.txt", O_CREAT | O_WRONLY, 0600);
    printf("after closing all: %d %d\n", after, (int)write(after, "x", 1));
    usleep(250000);
    close(after);
    return 5;
}
