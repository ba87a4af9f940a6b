// One collective operation on blocks of bytes: its buffers, the call, and whether every byte arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mpi/abi.hpp"
#include "schedule/problem.hpp"

namespace clearway::bench {

// Of those that are timed here.
const char* mpi_name_of(schedule::Operation operation);  // "MPI_Alltoall"
bool to_operation(std::string_view name, schedule::Operation& operation);

class CollectiveCall {
public:
    // Blocks of `block_bytes` for each of `ranks`, filled with bytes that tell sender, receiver and place.
    CollectiveCall(schedule::Operation operation, std::uint32_t rank, std::uint32_t ranks, std::uint64_t block_bytes);

    // Whether the counts and displacements of the operation can hold these sizes.
    static bool fits(std::uint32_t ranks, std::uint64_t block_bytes);

    // Calls `function`, an entry point of the operation, on MPI_COMM_WORLD. MPI's error code.
    int run(void* function);

    void forget_received();
    bool all_received() const;

private:
    schedule::Operation operation_;
    std::uint32_t rank_, ranks_;
    std::uint64_t block_bytes_;
    std::vector<std::byte> send_, receive_;
    std::vector<int> counts_, displacements_;
    std::vector<Arg> types_;                  // of alltoallw, where handles are as wide as pointers
    std::vector<std::int32_t> narrow_types_;  // of alltoallw, in MPICH's ABI
};

}  // namespace clearway::bench
