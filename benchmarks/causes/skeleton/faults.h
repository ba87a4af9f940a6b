// Faults that sit in the program itself. Each is given how much a chosen rank is to lose in a chosen step, about, and a
// grain: how that is cut, in the unit that its function says. What it costs is not said here: it is measured.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "computing.h"
#include "planted.h"
#include "settings.h"

static inline void must(int worked, const char* what) {
    if (worked) return;
    perror(what);
    exit(1);
}

// How many pieces of that size are due now; what is too little for one is kept for later.
static inline int due(Fault* f, double piece) {
    f->owed += f->amount_s;
    const int count = piece > 0 ? (int)(f->owed / piece) : 0;
    f->owed -= count * piece;
    return count;
}

// Grain: seconds asleep at a time.
static inline void fall_asleep(Fault* f) {
    for (int i = due(f, f->grain); i > 0; --i) sleep_s(f->grain);
}

// Grain: seconds for which somebody else, who keeps taking it, holds the lock.
static inline void take_lock(Fault* f) {
    const int file = open(f->object, O_CREAT | O_RDWR, 0600);
    must(file >= 0, f->object);
    for (int i = due(f, f->grain); i > 0; --i)
        must(flock(file, LOCK_EX) == 0 && flock(file, LOCK_UN) == 0, "skeleton: flock");
    close(file);
}

// Grain: seconds after which the service answers.
static inline void ask_service(Fault* f) {
    for (int i = due(f, f->grain); i > 0; --i) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(f->object))};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int connection = socket(AF_INET, SOCK_STREAM, 0);
        must(connect(connection, (struct sockaddr*)&address, sizeof address) == 0, "skeleton: connect");
        char text[64];
        const int length = snprintf(text, sizeof text, "%.6f\n", f->grain);
        must(send(connection, text, (size_t)length, 0) == length, "skeleton: send");
        struct pollfd answer = {.fd = connection, .events = POLLIN};
        poll(&answer, 1, -1);
        must(recv(connection, text, sizeof text, 0) >= 0, "skeleton: recv");
        close(connection);
    }
}

// Grain: seconds that a child takes.
static inline void wait_for_children(Fault* f) {
    for (int i = due(f, f->grain); i > 0; --i) {
        char command[64];
        snprintf(command, sizeof command, "sleep %.6f", f->grain);
        must(system(command) == 0, "skeleton: a child");
    }
}

// Grain: bytes that the reader at the other end takes a second.
static inline void fill_pipe(Fault* f) {
    static int pipe = -1;
    static char line[101];
    if (pipe < 0) {
        pipe = open(f->object, O_WRONLY);
        must(pipe >= 0, f->object);
        fcntl(pipe, F_SETPIPE_SZ, 4096);
        must(dup2(pipe, STDOUT_FILENO) >= 0, "skeleton: dup2");
        memset(line, 'x', sizeof line - 1);
    }
    for (int i = due(f, 100 / f->grain); i > 0; --i)
        must(write(STDOUT_FILENO, line, 100) == 100, "skeleton: writing to a pipe");
}

enum { MOST_BYTES = 1 << 20 };

// Grain: bytes of each write. The twin writes as many bytes at once.
static inline void write_little(const Fault* f, int rank, int sound) {
    enum { USUAL_PER_S = 700000 };
    static char block[MOST_BYTES];
    static int file = -1;
    char path[WORD_BYTES + 16];
    snprintf(path, sizeof path, "%s.%d", f->object, rank);
    if (file < 0) file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    must(file >= 0, path);
    const size_t each = sound ? sizeof block : (size_t)f->grain;
    for (double left = f->amount_s * USUAL_PER_S * f->grain; left > 0; left -= (double)each) {
        const size_t bytes = left < (double)each ? (size_t)left + 1 : each;
        must(write(file, block, bytes) == (ssize_t)bytes, "skeleton: writing a little");
    }
}

// Grain: bytes of a line.
static inline void write_log(Fault* f) {
    enum { USUAL_PER_S = 60000 };
    char line[512];
    memset(line, '.', sizeof line);
    const size_t bytes = (size_t)f->grain;
    line[bytes - 1] = '\n';
    for (int i = due(f, 1.0 / USUAL_PER_S); i > 0; --i)
        must(write(STDOUT_FILENO, line, bytes) == (ssize_t)bytes, "skeleton: writing a log");
}

// Grain: operations that the disk does a second. The twin does not ask for them to be finished.
static inline void sync_file(Fault* f, int rank, int sound) {
    static char block[4096];
    char path[WORD_BYTES + 16];
    snprintf(path, sizeof path, "%s.%d", f->object, rank);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    must(file >= 0, path);
    for (int i = due(f, 1 / f->grain); i > 0; --i) {
        must(pwrite(file, block, sizeof block, 0) == (ssize_t)sizeof block, "skeleton: writing");
        if (!sound) must(fsync(file) == 0, "skeleton: fsync");
    }
    close(file);
}

// Grain: bytes that the disk reads a second. For the twin the page cache keeps the file.
static inline void read_file(Fault* f, int rank, int sound) {
    static char block[1 << 16];
    char path[WORD_BYTES + 16];
    snprintf(path, sizeof path, "%s.%d", f->object, rank);
    const int file = open(path, O_RDONLY);
    must(file >= 0, path);
    const off_t size = lseek(file, 0, SEEK_END);
    static off_t at = 0;
    if (!sound && at == 0) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    for (int i = due(f, sizeof block / f->grain); i > 0; --i, at += sizeof block) {
        if (at + (off_t)sizeof block > size) {
            at = 0;
            if (!sound) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        }
        must(pread(file, block, sizeof block, at) >= 0, "skeleton: reading");
    }
    close(file);
}

// Grain: seconds between two questions. All ranks come together; those that are chosen look whether they have by
// MPI_Test and sleep in between, the others and the twin wait.
static inline void poll_asleep(Fault* f, int chosen, int sound) {
    for (int i = due(f, f->grain); i > 0; --i) {
        MPI_Request all;
        MPI_Ibarrier(MPI_COMM_WORLD, &all);
        if (sound || !chosen) {
            MPI_Wait(&all, MPI_STATUS_IGNORE);
            continue;
        }
        for (int done = 0;;) {
            MPI_Test(&all, &done, MPI_STATUS_IGNORE);
            if (done) break;
            usleep((useconds_t)(f->grain * 1e6));
        }
    }
}

static inline int is(const Fault* f, const char* kind) { return strcmp(f->kind, kind) == 0; }

static inline int has_rank(const Fault* f, int rank) { return rank >= (int)f->first && rank <= (int)f->last; }

static inline int has_step(const Fault* f, int step) {
    return step >= (int)f->from && (step - (int)f->from) % (int)f->every == 0;
}

static inline void plant(Fault* f, int rank, int ranks, int step) {
    const int sound = f->sound > 0, chosen = has_rank(f, rank);
    if (!has_step(f, step)) return;
    if (is(f, "usleep-polling")) poll_asleep(f, chosen, sound);
    if (is(f, "serial-thread")) compute_with(sound ? 2 : 1, f->amount_s * (sound ? 1 : 2));
    if (is(f, "wandering") && !sound && (step * 7 + 3) % 5 % ranks == rank) compute_s(f->amount_s);
    if (!chosen) return;
    if (is(f, "tiny-writes")) write_little(f, rank, sound);
    if (is(f, "fsync")) sync_file(f, rank, sound);
    if (is(f, "slow-file")) read_file(f, rank, sound);
    if (sound) return;
    if (is(f, "late-rank")) compute_s(f->amount_s);
    if (is(f, "sleeping-rank")) fall_asleep(f);
    if (is(f, "lock")) take_lock(f);
    if (is(f, "slow-service")) ask_service(f);
    if (is(f, "child")) wait_for_children(f);
    if (is(f, "slow-pipe")) fill_pipe(f);
    if (is(f, "log-lines")) write_log(f);
    while (is(f, "never-comes")) pause();
}

// Faults before MPI_Init.
static inline void plant_at_start(Fault* f, int rank) {
    if (f->sound > 0 || !has_rank(f, rank)) return;
    for (double left = f->amount_s; is(f, "late-start") && left > 0; left -= f->grain)
        sleep_s(left < f->grain ? left : f->grain);
    while (is(f, "never-starts")) pause();
}
