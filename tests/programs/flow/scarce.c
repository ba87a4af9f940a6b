// Preloaded: of the allocations that libclearway-flow.so makes, one of every thousand or so finds no memory; the next
// few hundred do. With SCARCE_AT=N only the Nth of rank 0.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void* __libc_malloc(size_t size);

static uintptr_t begin, end;
static _Atomic uint32_t calls, refused;
static uint32_t at;

static int look(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size, (void)data;
    if (strstr(info->dlpi_name, "libclearway-flow") == NULL) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (begin == 0 || from < begin) begin = from;
        if (from + info->dlpi_phdr[i].p_memsz > end) end = from + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

static void __attribute__((constructor)) find(void) {
    const char *number = getenv("SCARCE_AT"), *rank = getenv("PMI_RANK");
    if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
    if (number != NULL) at = rank != NULL && strcmp(rank, "0") == 0 ? (uint32_t)atoi(number) : UINT32_MAX;
    dl_iterate_phdr(look, NULL);
}

static int is_refused(void) {
    enum { FIRST = 300, EVERY = 997 };
    const uint32_t own = ++calls, call = own + 101 * (uint32_t)getpid() % EVERY;  // not on all ranks at a time
    return at != 0 ? own == at : call >= FIRST && call % EVERY == 0;
}

void* malloc(size_t size) {
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (caller < begin || caller >= end) return __libc_malloc(size);
    if (!is_refused()) return __libc_malloc(size);
    ++refused;
    errno = ENOMEM;
    return NULL;
}

static void __attribute__((destructor)) tell(void) { fprintf(stderr, "scarce: %u refused\n", refused); }
