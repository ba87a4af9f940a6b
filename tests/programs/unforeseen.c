// A program of steps, each of computing and one MPI_Allreduce, that loses time as programs do on real machines, in ways
// that no rule was written for.  unforeseen KIND AMOUNT OBJECT [STEPS COMPUTE_S FIRST LAST]
// What AMOUNT is, each kind says; 0 makes it the twin. Ranks FIRST to LAST lose the time, in each step.
#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <pwd.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "steps.h"

static double amount;
static const char* object;

static void must(int worked, const char* what) {
    if (worked) return;
    perror(what);
    exit(1);
}

// Seconds of CPU time, asking which time it is in the local time zone: where TZ is not set, each time a look at a file.
static void ask_local_time(void) {
    unsetenv("TZ");
    const double end = cpu_s() + amount;
    while (cpu_s() < end)
        for (int i = 0; i < 100; ++i) {
            const time_t now = time(NULL);
            must(localtime(&now) != NULL, "localtime");
        }
}

// So many short programs.
static void list_folder(void) {
    for (int i = 0; i < (int)amount; ++i) must(system("ls / > /dev/null") == 0, "ls");
}

// Every fourth step the checkpoint is compressed in the background: so many MB.
static void compress_beside(int step) {
    char command[256];
    if (step % 4 != 0 || amount == 0) return;
    snprintf(command, sizeof command, "head -c %.0f /dev/urandom | gzip -9 > %s.gz &", amount * 1e6, object);
    must(system(command) == 0, "gzip");
}

// A thousand signals a second; each takes so many seconds of CPU time.
static void on_alarm(int number) {
    (void)number;
    compute_s(amount);
}

static void start_timer(void) {
    const struct itimerval each = {{0, 1000}, {0, 1000}};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    if (amount == 0) return;
    sigaction(SIGALRM, &action, NULL);
    must(setitimer(ITIMER_REAL, &each, NULL) == 0, "setitimer");
}

// So many kB of a mapped file are read, of which nothing is in memory.
static void read_mapped(void) {
    const size_t bytes = (size_t)(amount * 1e3);
    static volatile long sum;
    if (bytes == 0) return;
    const int file = open(object, O_RDONLY);
    must(file >= 0, object);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    const char* data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    must(data != MAP_FAILED, "mmap");
    madvise((void*)data, bytes, MADV_RANDOM);
    for (size_t i = 0; i < bytes; i += 4096) sum += data[i];
    munmap((void*)data, bytes);
    close(file);
}

// A System V semaphore, and a POSIX one, that another program holds most of the time (below).
static int old_semaphore(void) {
    struct stat there;
    must(stat(object, &there) == 0, object);
    const int made = semget(ftok(object, 1), 1, IPC_CREAT | 0600);
    must(made >= 0, "semget");
    return made;
}

static void take_old_semaphore(void) {
    struct sembuf down = {0, -1, 0}, up = {0, 1, 0};
    const int semaphore = amount > 0 ? old_semaphore() : -1;
    if (semaphore >= 0) must(semop(semaphore, &down, 1) == 0 && semop(semaphore, &up, 1) == 0, "semop");
}

static void take_semaphore(void) {
    sem_t* semaphore = amount > 0 ? sem_open(object, O_CREAT, 0600, 1) : SEM_FAILED;
    if (semaphore == SEM_FAILED) return;
    must(sem_wait(semaphore) == 0 && sem_post(semaphore) == 0, "sem_wait");
    sem_close(semaphore);
}

static void hold_old_semaphore(void) {
    struct sembuf down = {0, -1, 0}, up = {0, 1, 0};
    const int semaphore = old_semaphore();
    semctl(semaphore, 0, SETVAL, 1);
    for (;;) {
        semop(semaphore, &down, 1), sleep_s(amount);
        semop(semaphore, &up, 1), sleep_s(1e-3);
    }
}

static void hold_semaphore(void) {
    sem_t* semaphore = sem_open(object, O_CREAT, 0600, 1);
    must(semaphore != SEM_FAILED, object);
    for (;;) {
        sem_wait(semaphore), sleep_s(amount);
        sem_post(semaphore), sleep_s(1e-3);
    }
}

// So many MB are mapped, touched for the first time and given back.
static void touch_first(void) {
    const size_t bytes = (size_t)(amount * 1e6);
    if (bytes == 0) return;
    char* fresh = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(fresh != MAP_FAILED, "mmap");
    madvise(fresh, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) fresh[i] = 1;
    munmap(fresh, bytes);
}

// So many MB of random bytes, from the kernel.
static void draw_random(void) {
    static char bytes[1 << 16];
    for (double left = amount * 1e6; left > 0; left -= sizeof bytes)
        must(getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes, "getrandom");
}

// So many attempts to write to a disk that is full, with a pause after each.
static void write_to_full_disk(void) {
    static char block[1 << 20];
    for (int i = 0; i < (int)amount; ++i) {
        const int file = open(object, O_CREAT | O_WRONLY | O_APPEND, 0600);
        must(file >= 0, object);
        if (write(file, block, sizeof block) < (ssize_t)sizeof block) sleep_s(0.01);
        close(file);
    }
}

// So many questions for the name of the user.
static void ask_for_user(void) {
    for (int i = 0; i < (int)amount; ++i) getpwuid(12345);
}

// So many seconds of CPU time as good numbers would take; these are so small that each operation is slow.
static void compute_with_small_numbers(void) {
    volatile double x = amount > 0 ? 1e-310 : 1.0;
    volatile double sum = 0;
    for (long i = 0; i < 20000000L; ++i) sum = sum * 0.5 + x;
}

// So many files that are not there are looked for.
static void look_for_files(void) {
    char path[512];
    for (int i = 0; i < (int)amount; ++i) {
        snprintf(path, sizeof path, "%s/module%d.so", object, i);
        const int file = open(path, O_RDONLY);
        if (file >= 0) close(file);
    }
}

// A licence server, at this port, that answers after so many seconds.
static void ask_for_licence(void) {
    struct sockaddr_in address = {AF_INET, htons((uint16_t)atoi(object)), {htonl(INADDR_LOOPBACK)}, {0}};
    const int connection = socket(AF_INET, SOCK_STREAM, 0);
    char text[64];
    if (amount == 0) return;
    must(connect(connection, (struct sockaddr*)&address, sizeof address) == 0, "connect");
    const int length = snprintf(text, sizeof text, "%.6f\n", amount);
    must(send(connection, text, (size_t)length, 0) == length, "send");
    must(recv(connection, text, sizeof text, 0) > 0, "recv");
    close(connection);
}

// So many short sums into the memory of the next rank, each a call of its own.
static void accumulate(void) {
    static double memory[20], mine[20];
    static MPI_Win window = MPI_WIN_NULL;
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (window == MPI_WIN_NULL)
        MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    const int next = (rank + 1) % ranks;
    for (int i = 0; i < (int)amount; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
        MPI_Accumulate(mine, 20, MPI_DOUBLE, next, 0, 20, MPI_DOUBLE, MPI_SUM, window);
        MPI_Win_unlock(next, window);
    }
}

// In step 5, rank 0 is stopped for so many seconds after it has entered MPI, before the last one has.
static void stop_in_mpi(int rank, int step) {
    int first = (int)getpid();
    if (step != 5 || amount == 0) return;
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank != 1) return;
    compute_s(0.05);
    kill(first, SIGSTOP);
    if (fork() == 0) {
        sleep_s(amount);
        kill(first, SIGCONT);
        _exit(0);
    }
}

static void lose_time(const char* kind, int rank, int step) {
    if (strcmp(kind, "local-time") == 0) ask_local_time();
    if (strcmp(kind, "ls") == 0) list_folder();
    if (strcmp(kind, "gzip") == 0) compress_beside(step);
    if (strcmp(kind, "mapped") == 0) read_mapped();
    if (strcmp(kind, "old-semaphore") == 0) take_old_semaphore();
    if (strcmp(kind, "semaphore") == 0) take_semaphore();
    if (strcmp(kind, "touch") == 0) touch_first();
    if (strcmp(kind, "random") == 0) draw_random();
    if (strcmp(kind, "full-disk") == 0) write_to_full_disk();
    if (strcmp(kind, "user") == 0) ask_for_user();
    if (strcmp(kind, "small-numbers") == 0) compute_with_small_numbers();
    if (strcmp(kind, "stopped-in-mpi") == 0) stop_in_mpi(rank, step);
    if (strcmp(kind, "look-each-step") == 0) look_for_files();
    if (strcmp(kind, "accumulate") == 0) accumulate();
}

int main(int argc, char** argv) {
    must(argc > 3, "unforeseen KIND AMOUNT OBJECT [STEPS COMPUTE_S FIRST LAST]");
    Steps all = steps_of(argc, argv);
    const char* kind = all.kind;
    amount = atof(argv[2]), object = argv[3];
    const int first_rank = argc > 6 ? atoi(argv[6]) : 0, last_rank = argc > 7 ? atoi(argv[7]) : 1 << 30;
    if (strcmp(kind, "hold-old-semaphore") == 0) hold_old_semaphore();
    if (strcmp(kind, "hold-semaphore") == 0) hold_semaphore();
    if (strcmp(kind, "look-at-start") == 0) look_for_files();
    if (strcmp(kind, "licence") == 0) ask_for_licence();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    const int chosen = first_rank <= all.rank && all.rank <= last_rank;
    if (chosen && strcmp(kind, "timer") == 0) start_timer();
    take_steps(&all, chosen ? lose_time : NULL);
    while (wait(NULL) > 0)
        ;
    MPI_Finalize();
    if (chosen && strcmp(kind, "after-the-end") == 0) sleep_s(amount);
    return 0;
}
