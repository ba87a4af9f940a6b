// The truth a test program tells about itself. Every MPI call under test goes through CALL, which counts it
// as it is made, so the truth is what was really executed and never a list kept by hand.
#pragma once

#include <stddef.h>

// Counts the call. Its bytes stay unknown, and the tests then compare the count alone.
#define CALL(function, ...) (tally_call(#function, -1), function(__VA_ARGS__))

// Counts the call and the bytes that this process sends in it (receives in it, for a receive).
#define CALL_BYTES(function, bytes, ...) (tally_call(#function, (bytes)), function(__VA_ARGS__))

// A repeated call whose number is not known beforehand: `CALL_UNTIL(MPI_Test, done, &request, &done, ...)`.
#define CALL_UNTIL(function, done, ...) \
    do {                                \
        tally_call(#function, -1);      \
        function(__VA_ARGS__);          \
    } while (!(done))

// Thread-safe.
void tally_call(const char* function, long bytes);

// Adds `bytes` of a result to this rank's checksum.
void tally_result(const void* result, size_t bytes);

// Prints "rank 0 checksum <hex>", over the results so far. Calls no MPI, for that would have to be counted too.
void tally_print_checksum(int rank);

// Writes {"MPI_Send": {"count": 3, "bytes": 24}, ...} to $TRUTH.<rank>; `bytes` is null where a call gave none.
// Without TRUTH in the environment it writes nothing.
void tally_write(int rank);
