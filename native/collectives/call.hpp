// What a program asked for, in one form for all operations.
#pragma once

#include <cstdint>

#include "mpi/abi.hpp"
#include "schedule/problem.hpp"

namespace clearway::collectives {

// How one side's buffer is divided into blocks, and so what counts, displacements and types are.
enum class Division : std::uint8_t {
    one_block,  // an allgather's send buffer: a count and a type
    equal,      // a block a rank, one after another: a count and a type
    counted,    // a block a rank: an array of counts, one of displacements in extents of the type, and a type
    typed,      // a block a rank: arrays of counts, of displacements in bytes, and of types
};

struct Side {
    Division division = Division::equal;
    bool large = false;  // counts and displacements are 64-bit integers, as in the _c functions; else int
    Arg buffer = 0;
    Arg counts = 0;
    Arg displacements = 0;
    Arg types = 0;

    bool is_in_place() const { return buffer == abi.in_place; }
    std::int64_t count_of(std::uint32_t block) const {
        if (division == Division::counted || division == Division::typed) return number_at(counts, block);
        return large ? static_cast<std::int64_t>(counts) : as_int(counts);
    }
    Arg type_of(std::uint32_t block) const {
        return division == Division::typed ? handle_at(types, block) : as_handle(types);
    }
    std::int64_t displacement_of(std::uint32_t block) const { return number_at(displacements, block); }

private:
    std::int64_t number_at(Arg array, std::uint32_t index) const {
        return large ? reinterpret_cast<const std::int64_t*>(array)[index] : reinterpret_cast<const int*>(array)[index];
    }
};

struct Call {
    schedule::Operation operation;
    Side send, receive;
    Arg comm;  // the program's
};

// The MPI's own function with the call's arguments.
class OwnCall {
public:
    template <class Function>
    explicit OwnCall(const Function& function)
        : function_(&function), invoke_([](const void* f) { return (*static_cast<const Function*>(f))(); }) {}
    int operator()() const { return invoke_(function_); }

private:
    const void* function_;
    int (*invoke_)(const void* function);
};

}  // namespace clearway::collectives
