// Buffers of a collective call in all the shapes that MPI's datatypes allow.
#pragma once

#include <mpi.h>
#include <stddef.h>

#include "random.h"

#if MPI_VERSION >= 4
typedef MPI_Count Count;  // of the _c functions
#else
typedef int Count;
#endif

enum { MOST_BLOCKS = 64 };

// What all types of a call are made of: the type signature of a block is a number of these.
typedef struct {
    MPI_Datatype type;
    MPI_Aint extent;
} Unit;

typedef struct {
    MPI_Datatype type;
    int units;  // in one element
    int derived;
} Element;

typedef enum { ONE_TYPE, TYPE_PER_BLOCK, ABSOLUTE } Typing;

typedef struct {
    int blocks;
    Element elements[MOST_BLOCKS];  // of one type, the first stands for all
    int types;                      // that are to be freed
    MPI_Datatype handles[MOST_BLOCKS];
    int counts[MOST_BLOCKS];
    int displacements[MOST_BLOCKS];  // in extents, or in bytes with a type per block
    Count large_counts[MOST_BLOCKS];
    MPI_Aint large_displacements[MOST_BLOCKS];
    void* base;  // what MPI is given
    unsigned char* memory;
    size_t memory_bytes;
} Layout;

typedef struct {
    Unit unit;
    int most_units;  // of one element; 1, or the units of all blocks are multiples of 6
    int is_common;   // elements of one unit that every MPI's own collectives can deal with
    int follow;      // blocks lie one after another, as alltoall wants them, and all have as many units
    Typing typing;
} Shape;

// A block has `units[i]` units. What the shape leaves open is drawn.
void make_layout(Layout* layout, Stream* stream, Shape shape, int blocks, const int* units);
void free_layout(Layout* layout);
