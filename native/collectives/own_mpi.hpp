// The job's own MPI as the executor uses it: the few functions and constants, looked up once.
//
// Every function is the real MPI's (PMPI_…), so neither a recorder in front nor our own wrappers see these calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mpi/abi.hpp"

namespace clearway::collectives {

struct OwnMpi {
    int (*isend)(Arg buffer, Arg count, Arg type, Arg peer, Arg tag, Arg comm, Arg request);
    int (*irecv)(Arg buffer, Arg count, Arg type, Arg peer, Arg tag, Arg comm, Arg request);
    int (*waitsome)(Arg count, Arg requests, Arg completed, Arg indices, Arg statuses);
    int (*testsome)(Arg count, Arg requests, Arg completed, Arg indices, Arg statuses);
    int (*ibarrier)(Arg comm, Arg request);
    int (*cancel)(Arg request);
    int (*request_free)(Arg request);
    int (*allreduce)(Arg send, Arg receive, Arg count, Arg type, Arg op, Arg comm);
    int (*allgather)(Arg send, Arg send_count, Arg send_type, Arg receive, Arg receive_count, Arg receive_type,
                     Arg comm);
    int (*comm_rank)(Arg comm, Arg rank);
    int (*comm_size)(Arg comm, Arg size);
    int (*comm_group)(Arg comm, Arg group);
    int (*comm_create)(Arg comm, Arg group, Arg new_comm);
    int (*comm_free)(Arg comm);
    int (*comm_test_inter)(Arg comm, Arg flag);
    int (*comm_get_errhandler)(Arg comm, Arg handler);
    int (*comm_set_errhandler)(Arg comm, Arg handler);
    int (*comm_call_errhandler)(Arg comm, Arg code);
    int (*errhandler_free)(Arg handler);
    int (*group_translate_ranks)(Arg group, Arg count, Arg ranks, Arg other, Arg ranks_there);
    int (*group_free)(Arg group);
    int (*initialized)(Arg flag);

    Arg byte, uint64;   // datatypes
    Arg max;            // an operation
    Arg errors_return;  // an error handler
    Arg null_request, null_comm;
    std::size_t handle_bytes;  // of a handle in an array: 4 in MPICH's ABI, else 8
};

// Null where the process has no MPI that we know, or one that lacks a function; found out at the first call.
const OwnMpi* own_mpi();

inline constexpr int kMpiSuccess = 0;

// Room for a handle of any MPI.
class Handle {
public:
    Handle() = default;
    explicit Handle(Arg value) { set(value); }
    Arg get() const { return handle_at(to_arg(&room_), 0); }
    void set(Arg value);
    Arg address() { return to_arg(&room_); }

private:
    Arg room_ = 0;
};

// Two of them in an array.
class HandlePair {
public:
    HandlePair(Arg first, Arg second) {
        const Handle handles[] = {Handle(first), Handle(second)};
        const std::size_t bytes = own_mpi()->handle_bytes;
        std::memcpy(room_, &handles[0], bytes);
        std::memcpy(reinterpret_cast<char*>(room_) + bytes, &handles[1], bytes);
    }
    Arg address() const { return to_arg(room_); }

private:
    Arg room_[2] = {};
};

}  // namespace clearway::collectives
