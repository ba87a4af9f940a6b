/* The outside observer of io_stress: the program once more, without what is preloaded, asked over pipes. */
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>

#include "worker.h"

static FILE *questions, *answers; /* of the observer; NULL: there is none */

/* When it was written: the second that somebody set, or 1: about now. */
static long age(time_t seconds) { return seconds < 1500000000 ? (long)seconds : 1; }

/* What the observer sees of a file: its size, or "all". */
static void look(worker* w, const char* how, const char* path) {
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    char line[300] = "";
    if (!questions) return;
    pthread_mutex_lock(&turn);
    fprintf(questions, "%s %s\n", how, path);
    fflush(questions);
    if (!fgets(line, sizeof line, answers)) strcpy(line, "it is gone");
    pthread_mutex_unlock(&turn);
    note_bytes(w, line, strlen(line));
    if (w->verbose) printf("observer: %s", line);
    note(w, how, 0);
}

static int observe(void) {
    static worker w;
    char how[8], path[256];
    while (scanf("%7s %255s", how, path) == 2) {
        struct stat status;
        if (lstat(path, &status) != 0) {
            printf("none\n");
        } else if (how[0] == 's') {
            printf("%ld\n", (long)status.st_size);
        } else {
            const int fd = open(path, O_RDONLY | O_NONBLOCK); /* of a closed file nobody has a lease */
            w.hash = 0;
            for (ssize_t got; (got = read(fd, w.data, BUFFER)) > 0;) note_bytes(&w, w.data, (size_t)got);
            printf("%ld %ld %o %ld %d %016llx\n", (long)status.st_size, age(status.st_mtime), (unsigned)status.st_mode,
                   (long)status.st_nlink, fd < 0 ? errno : 0, (unsigned long long)w.hash);
            close(fd);
        }
        fflush(stdout);
    }
    return 0;
}

/* Without what is preloaded into us. */
static void start_observer(void) {
    int to[2], from[2];
    pid_t child;
    char* words[] = {(char*)self, "observe", NULL};
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) exit(2);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    char** variables = calloc(4096, sizeof *variables);
    for (int i = 0, kept = 0; environ[i] && kept < 4095; ++i)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0) variables[kept++] = environ[i];
    if (posix_spawn(&child, self, &actions, NULL, words, variables) != 0) exit(2);
    close(to[0]);
    close(from[1]);
    questions = fdopen(to[1], "w");
    answers = fdopen(from[0], "r");
}
