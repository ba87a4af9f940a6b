// The functions that are wrapped, as the table calls.table says; the table itself becomes C++ at build time.
#pragma once

#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway::recorder {

struct WrappedFunction {
    const char* name;
    FunctionClass function_class;
};

extern const WrappedFunction wrapped_functions[];  // by id; element 0 is empty
extern const std::uint16_t wrapped_function_count;

// Writes the function's name into the record, once.
void announce_function(std::uint16_t id);

// By which of its two names a function was called. Each goes on to the next of the same name, as PMPI tools are
// stacked: a tool behind us is called where the program called MPI_X, and what it calls then, PMPI_X, passes it by.
enum class Name : unsigned { mpi, pmpi };

// Address of the function behind wrapper `id`, for calls from where `caller` is; never null.
void* resolve_function(std::uint16_t id, Name name, const void* caller);
extern void* real_functions[][2];          // by id and Name, those resolved so far
extern void* const narrow_functions[][2];  // likewise: MPI_X_c by MPI_X; null where there is none

// Of a function that the MPI lacks, though its name is ours. mpi4py, which looks for functions by weak references, has
// this code (its PyMPI_ERR_UNAVAILABLE) for those that are not there, and for others it is an error as well.
inline constexpr int kMissing = -0x55555556;

[[gnu::always_inline]] inline void* real_function(std::uint16_t id, Name name) {
    void* found = __atomic_load_n(&real_functions[id][static_cast<unsigned>(name)], __ATOMIC_RELAXED);
    return found != nullptr ? found : resolve_function(id, name, __builtin_return_address(0));
}

}  // namespace clearway::recorder
