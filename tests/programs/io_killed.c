/* Random calls on files until something ends the process:  io_killed FOLDER LOG PROCESS SEED END STEPS
 *
 * Each call is noted in LOG, memory that all processes share and that outlives them: when it begins, and when it has
 * returned. So whoever reads LOG afterwards knows what the disk must have (tests/io_cache/test_killed.py). Files
 * PROCESS.0 and so on are this process's own; of the last one, "all", each process writes a part of its own. Now and
 * then it becomes another program, itself. After STEPS calls it ends by END, "exit", "_exit", "abort", "raise" or
 * "exec".
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ENTRIES = 20000, PART = 1 << 16, FILES = 4, SHARED = FILES - 1, LARGEST = 20000 };
enum { OPEN = 1, WRITE, SYNC, CLOSE, CUT, END, BEGIN };
enum { BEGUN = 1, DONE };

typedef struct {
    _Atomic uint32_t state;
    uint8_t kind, process, file, value;
    uint32_t at, bytes, count_after;
} entry;

typedef struct {
    _Atomic uint32_t count;
    uint32_t unused[3];
    entry entries[ENTRIES];
} notes;

static notes* all;
static int process, fds[FILES] = {-1, -1, -1, -1};
static char** words;
static uint64_t seed;

static uint32_t below(uint32_t most) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % most);
}

static entry* begin(int kind, int file, uint32_t at, uint32_t bytes, int value) {
    const uint32_t i = atomic_fetch_add(&all->count, 1);
    if (i >= ENTRIES) _exit(0);
    entry* e = &all->entries[i];
    e->kind = (uint8_t)kind, e->process = (uint8_t)process, e->file = (uint8_t)file, e->value = (uint8_t)value;
    e->at = at, e->bytes = bytes;
    atomic_store(&e->state, BEGUN);
    return e;
}

static void done(entry* e, int well) {
    e->count_after = atomic_load(&all->count);
    if (well) atomic_store(&e->state, DONE);
    if (!well) _exit(9);
}

static void open_one(int f) {
    char path[512];
    if (f == SHARED)
        snprintf(path, sizeof path, "%s/all", words[1]);
    else
        snprintf(path, sizeof path, "%s/%d.%d", words[1], process, f);
    const int cuts = f != SHARED && below(4) == 0;
    entry* e = begin(OPEN, f, (uint32_t)cuts, 0, 0);
    fds[f] = open(path, O_RDWR | O_CREAT | (cuts ? O_TRUNC : 0) | (below(2) ? O_CLOEXEC : 0), 0644);
    done(e, fds[f] >= 0);
}

static void write_one(int f) {
    static unsigned char data[LARGEST];
    const uint32_t bytes = 1 + below(below(4) ? LARGEST / 2 : LARGEST);
    const uint32_t at = below(PART - bytes) + (f == SHARED ? (uint32_t)process * PART : 0);
    const int value = 1 + (int)below(255);
    memset(data, value, bytes);
    entry* e = begin(WRITE, f, at, bytes, value);
    done(e, pwrite(fds[f], data, bytes, at) == (ssize_t)bytes);
}

static void act(void) {
    static unsigned char data[LARGEST];
    const int f = (int)below(FILES);
    const uint32_t what = below(100), at = below(PART);
    if (fds[f] < 0) {
        open_one(f);
    } else if (what < 75) {
        write_one(f);
    } else if (what < 82) {
        entry* e = begin(SYNC, f, 0, 0, 0);
        done(e, (below(2) ? fsync(fds[f]) : fdatasync(fds[f])) == 0);
    } else if (what < 92) {
        entry* e = begin(CLOSE, f, 0, 0, 0);
        done(e, close(fds[f]) == 0);
        fds[f] = -1;
    } else if (what < 96 && f != SHARED) {
        entry* e = begin(CUT, f, at, 0, 0);
        done(e, ftruncate(fds[f], at) == 0);
    } else if (pread(fds[f], data, 1 + below(LARGEST), at) < 0) {
        _exit(9);
    }
}

static void become_itself(void) {
    char next[32];
    snprintf(next, sizeof next, "%llu", (unsigned long long)seed >> 3);
    words[4] = next;
    begin(END, 0, 0, 0, 0);
    execv(words[0], words);
}

int main(int count, char** arguments) {
    if (count != 7) return 2;
    words = arguments;
    process = atoi(words[3]);
    seed = strtoull(words[4], NULL, 10) * 0x9E3779B97F4A7C15u + 88172645463325252u;
    const int log = open(words[2], O_RDWR | O_CLOEXEC);
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, log, 0);
    if (all == MAP_FAILED) return 2;
    begin(BEGIN, 0, 0, 0, 0);
    for (long i = atol(words[6]); i > 0; --i) {
        act();
        if (below(1500) == 0) become_itself();
    }
    begin(END, 0, 0, 0, 0);
    const char* end = words[5];
    if (strcmp(end, "_exit") == 0) _exit(0);
    if (strcmp(end, "abort") == 0) abort();
    if (strcmp(end, "raise") == 0) raise(SIGKILL);
    if (strcmp(end, "exec") == 0) execl("/bin/true", "true", (char*)NULL);
    return 0;
}
