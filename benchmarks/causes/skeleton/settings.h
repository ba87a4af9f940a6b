// What a skeleton does, as said on its command line: name=value, and fault=KIND,name=value,… for each planted fault.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS = 2, WORD_BYTES = 4096 };

typedef struct {
    char kind[32];
    double amount_s;          // that a chosen rank is to lose in a chosen step
    double grain;             // how it is cut: see faults.h
    double first, last;       // ranks that have it
    double from, every;       // steps that have it: from this one on, each so many
    double sound;             // 1: in the twin, which does the same work without the fault
    char object[WORD_BYTES];  // a file, or a port
    double owed;              // of the amounts so far, what was too little to be planted yet
} Fault;

typedef struct {
    char family[32];  // of MPI calls: see families.h
    double steps;
    double compute_s;        // CPU time of each rank in a step
    double bytes;            // to each peer
    double threads;          // that share the computing: 1 or 2
    char truth[WORD_BYTES];  // begin of the name of the file that each rank leaves
    Fault faults[MOST_FAULTS];
    int fault_count;
} Settings;

typedef struct {
    const char* name;
    double* number;  // or
    char* word;
    size_t room;
} Option;

static inline void refuse(const char* word) {
    fprintf(stderr, "error: skeleton: '%s' is no setting\n", word);
    exit(2);
}

static inline void read_setting(const Option* options, size_t count, const char* word) {
    const char* value = strchr(word, '=');
    for (size_t i = 0; value != NULL && i < count; ++i) {
        if (strlen(options[i].name) != (size_t)(value - word)) continue;
        if (strncmp(options[i].name, word, (size_t)(value - word)) != 0) continue;
        if (options[i].number != NULL)
            *options[i].number = strtod(value + 1, NULL);
        else
            snprintf(options[i].word, options[i].room, "%s", value + 1);
        return;
    }
    refuse(word);
}

static inline Fault read_fault(char* words) {
    Fault f = {.every = 1, .last = 1e9};
    const Option options[] = {
        {"amount", &f.amount_s, NULL, 0}, {"grain", &f.grain, NULL, 0},
        {"first", &f.first, NULL, 0},     {"last", &f.last, NULL, 0},
        {"from", &f.from, NULL, 0},       {"every", &f.every, NULL, 0},
        {"sound", &f.sound, NULL, 0},     {"object", NULL, f.object, sizeof f.object},
    };
    char* rest = NULL;
    const char* kind = strtok_r(words, ",", &rest);
    snprintf(f.kind, sizeof f.kind, "%s", kind == NULL ? "" : kind);
    for (const char* word; (word = strtok_r(NULL, ",", &rest)) != NULL;)
        read_setting(options, sizeof options / sizeof options[0], word);
    return f;
}

static inline Settings read_settings(int count, char** words) {
    Settings s = {.family = "halo", .steps = 100, .threads = 1};
    const Option options[] = {
        {"family", NULL, s.family, sizeof s.family},
        {"steps", &s.steps, NULL, 0},
        {"compute", &s.compute_s, NULL, 0},
        {"bytes", &s.bytes, NULL, 0},
        {"threads", &s.threads, NULL, 0},
        {"truth", NULL, s.truth, sizeof s.truth},
    };
    for (int i = 1; i < count; ++i) {
        if (strncmp(words[i], "fault=", 6) != 0) {
            read_setting(options, sizeof options / sizeof options[0], words[i]);
            continue;
        }
        if (s.fault_count == MOST_FAULTS) refuse(words[i]);
        char copy[WORD_BYTES];
        snprintf(copy, sizeof copy, "%s", words[i] + 6);
        s.faults[s.fault_count++] = read_fault(copy);
    }
    return s;
}
