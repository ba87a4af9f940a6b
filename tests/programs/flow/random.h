// Numbers by chance that repeat: a stream has a state of its own, so ranks can share one and have another alone.
#pragma once

#include <stdint.h>

typedef struct {
    uint64_t state;
} Stream;

static inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static inline uint64_t draw(Stream* stream) { return mix(stream->state++ * 0xd1342543de82ef95U); }

// 0 … below - 1
static inline int pick(Stream* stream, int below) { return (int)(draw(stream) % (uint64_t)below); }

static inline int chance(Stream* stream, int percent) { return pick(stream, 100) < percent; }
