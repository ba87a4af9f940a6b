/* What a thread's key that nobody has made holds, the first key that is made, and MPI in a copy of its own of all
   libraries:  thread_keys [LIBRARY] */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key; /* 0 until it is made */

static int use_a_copy(const char* library) {
    void* copy = dlmopen(LM_ID_NEWLM, library, RTLD_NOW);
    if (copy == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
    int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(copy, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(copy, "MPI_Finalize");
    if (init == NULL || finalize == NULL || init(NULL, NULL) != 0) return 2;
    puts("in MPI");
    return finalize();
}

int main(int count, char** words) {
    printf("not made: %p\n", pthread_getspecific(key));
    if (count > 1) return use_a_copy(words[1]);
    if (pthread_key_create(&key, NULL) != 0) return 2;
    printf("the first: %u\n", (unsigned)key);
    return 0;
}
