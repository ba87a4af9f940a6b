// An MPI that is loaded, not linked, so that one program serves them all; and the few calls that such programs make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/abi.hpp"
#include "mpi/predefined.hpp"

namespace clearway {

struct World {
    std::uint32_t rank = 0, ranks = 0;
    std::string version;  // first line of what the MPI says of itself
};

// Loads an MPI into the scope of the whole process: `path`, or where that is empty the one whose launcher started
// this process. False, with the reason on stderr.
bool open_mpi(const std::string& path);

// The path of the library that was loaded.
std::string mpi_library_path();

// False where the MPI could not start, or is one whose constants are not known.
bool start_mpi(World& world);
void end_mpi();

// An entry point as a program would reach it, through whatever was preloaded; or the MPI's own.
void* entry_point(const char* name);
void* own_entry_point(const char* name);

template <typename... Args>
int invoke(void* function, Args... args) {
    return reinterpret_cast<int (*)(decltype(to_arg(args))...)>(function)(to_arg(args)...);
}

void barrier();

// What each rank gave, in order of ranks.
std::vector<std::uint64_t> gather_all(const World& world, std::uint64_t value);

}  // namespace clearway
