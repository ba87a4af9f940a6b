// The functions that are wrapped, as the table calls.table says; the table itself becomes C++ at build time.
#pragma once

#include <cstdint>

#include "run_record/layout.hpp"

namespace clearway {

struct WrappedFunction {
    const char* name;
    FunctionClass function_class;
};

extern const WrappedFunction wrapped_functions[];  // by id; element 0 is empty
extern const std::uint16_t wrapped_function_count;

// Writes the function's name into the record, at its first call.
void announce_function(std::uint16_t id);

// Address of the real function behind wrapper `id`; never null.
void* resolve_function(std::uint16_t id);
extern void* real_functions[];  // those resolved so far

}  // namespace clearway
