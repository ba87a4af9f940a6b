// What a rank does with files in a step.
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

enum { BLOCK_BYTES = 65536 };

typedef struct {
    int file;  // -1: none
    char path[4096];
} Scratch;

static inline void must(int worked, const char* what) {
    if (worked) return;
    perror(what);
    exit(1);
}

static inline void write_part(int file, long from, long to) {
    static char block[BLOCK_BYTES];
    for (long at = from; at < to; at += BLOCK_BYTES) {
        const long bytes = to - at < BLOCK_BYTES ? to - at : BLOCK_BYTES;
        must(pwrite(file, block, (size_t)bytes, at) == bytes, "workload: writing scratch");
    }
}

static inline void write_scratch(const Settings* s, int file) {
    const int parts = s->syncs > 1 ? (int)s->syncs : 1;
    const long part = (long)s->write_bytes / parts;
    for (int i = 0; i < parts; ++i) {
        write_part(file, i * part, (i + 1) * part);
        if (s->syncs > 0) must(fsync(file) == 0, "workload: fsync");
    }
}

static inline void read_scratch(const Settings* s, int file) {
    static char block[BLOCK_BYTES];
    if (s->past_cache > 0) posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    for (long at = 0; at < (long)s->read_bytes; at += BLOCK_BYTES)
        must(pread(file, block, BLOCK_BYTES, at) >= 0, "workload: reading scratch");
}

static inline void open_and_close(const Settings* s, const char* path) {
    char small[4200];
    for (int i = 0; i < (int)s->opens; ++i) {
        struct stat status;
        snprintf(small, sizeof small, "%s.%d", path, i);
        const int file = open(small, O_CREAT | O_WRONLY, 0600);
        must(file >= 0 && close(file) == 0, "workload: making a small file");
        must(stat(small, &status) == 0 && unlink(small) == 0, "workload: deleting a small file");
    }
}

// What is read later lies on the disk before the first step.
static inline Scratch open_scratch(const Settings* s, int rank) {
    Scratch scratch = {.file = -1};
    snprintf(scratch.path, sizeof scratch.path, "%s/scratch.%d", s->scratch, rank);
    if (s->write_bytes <= 0 && s->read_bytes <= 0) return scratch;
    scratch.file = open(scratch.path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    must(scratch.file >= 0, scratch.path);
    write_part(scratch.file, 0, (long)s->read_bytes);
    must(s->read_bytes <= 0 || fsync(scratch.file) == 0, "workload: fsync");
    return scratch;
}

static inline void use_files(const Settings* s, const Scratch* scratch) {
    if (s->write_bytes > 0) write_scratch(s, scratch->file);
    if (s->read_bytes > 0) read_scratch(s, scratch->file);
    if (s->opens > 0) open_and_close(s, scratch->path);
}

static inline void close_scratch(Scratch* scratch) {
    if (scratch->file < 0) return;
    close(scratch->file);
    unlink(scratch->path);
}
