#include "recorder/testing/made_up_mpi.hpp"

#include <cstdio>

using namespace clearway::testing;

namespace clearway::testing {

MadeUpMpi& made_up_mpi() {
    static MadeUpMpi mpi{{{kWorld, {{0, 1, 2, 3}, 1}}, {kSelf, {{1}, 0}}}, 1, {}, {}, 0, {}};
    return mpi;
}

}  // namespace clearway::testing

namespace {

MadeUpMpi& mpi = made_up_mpi();
std::vector<Group> groups;  // a group's handle is its place here, from 1

int new_group(const std::vector<int>& ranks, int* handle) {
    groups.push_back({ranks, 0, {}});
    *handle = static_cast<int>(groups.size());
    return 0;
}

void tell(int about, std::intptr_t where) {
    if (where == kIgnore) return;
    const Arrival& arrival = mpi.arrivals[about];
    *reinterpret_cast<Status*>(where) = {
        static_cast<std::uint32_t>(arrival.bytes),
        static_cast<std::uint32_t>(arrival.bytes >> 32) << 1 | (arrival.is_cancelled ? 1U : 0U), arrival.source,
        arrival.tag, 0};
}

int begin_request(int* request) {
    if (mpi.result == 0) *request = mpi.next_handle++;
    return mpi.result;
}

void complete(int* request, std::intptr_t status) {
    tell(*request, status);
    *request = kNoRequest;
}

int new_comm(int parent, int* comm) {
    *comm = mpi.next_handle++;
    mpi.comms[*comm] = mpi.comms.at(parent);
    return 0;
}

using Int = std::intptr_t;

}  // namespace

extern "C" {

// What the recorder asks.
int PMPI_Get_library_version(char* text, int* length) { return *length = std::sprintf(text, "MPICH made up"), 0; }
int PMPI_Comm_rank(Int comm, int* rank) { return *rank = mpi.comms.at(static_cast<int>(comm)).my_rank, 0; }
int PMPI_Comm_size(Int comm, int* size) {
    return *size = static_cast<int>(mpi.comms.at(static_cast<int>(comm)).world_ranks.size()), 0;
}
int PMPI_Comm_test_inter(Int comm, int* is_inter) {
    return *is_inter = mpi.comms.at(static_cast<int>(comm)).remote.empty() ? 0 : 1, 0;
}
int PMPI_Comm_get_name(Int, char* name, int* length) { return *length = std::sprintf(name, "made up"), 0; }
int PMPI_Comm_group(Int comm, int* group) { return new_group(mpi.comms.at(static_cast<int>(comm)).world_ranks, group); }
int PMPI_Comm_remote_group(Int comm, int* group) {
    return new_group(mpi.comms.at(static_cast<int>(comm)).remote, group);
}
int PMPI_Group_size(Int group, int* size) {
    return *size = static_cast<int>(groups[static_cast<std::size_t>(group) - 1].world_ranks.size()), 0;
}
int PMPI_Group_translate_ranks(Int group, int count, const int* ranks, Int, int* world) {
    for (int i = 0; i < count; ++i)
        world[i] = groups[static_cast<std::size_t>(group) - 1].world_ranks[static_cast<std::size_t>(ranks[i])];
    return 0;
}
int PMPI_Group_free(int*) { return 0; }
int PMPI_Type_size(Int type, int* bytes) { return *bytes = type == kDerivedType ? kDerivedBytes : 4, 0; }
int PMPI_Test_cancelled(const Status* status, int* flag) { return *flag = status->bytes_high & 1, 0; }

// What the program calls.
int PMPI_Send() { return mpi.result; }
int PMPI_Sendrecv(Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int status) { return tell(0, status), 0; }
int PMPI_Recv(Int, Int, Int, Int, Int, Int, Int status) { return tell(0, status), 0; }
int PMPI_Isend(Int, Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Irecv(Int, Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Recv_init(Int, Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Send_init(Int, Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Start(int*) { return 0; }
int PMPI_Cancel(int*) { return 0; }
int PMPI_Request_free(int* request) { return *request = kNoRequest, 0; }
int PMPI_Mprobe(Int, Int, Int, int* message, Int status) { return tell(0, status), *message = mpi.next_handle++, 0; }
int PMPI_Mrecv(Int, Int, Int, int* message, Int status) { return complete(message, status), 0; }
int PMPI_Probe(Int, Int, Int, Int status) { return tell(0, status), 0; }
int PMPI_Iprobe(Int, Int, Int, int* flag, Int status) {
    *flag = mpi.completed.empty() ? 0 : 1;
    if (*flag != 0) tell(0, status);
    return 0;
}
int PMPI_Iallreduce(Int, Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Ibcast(Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Allreduce_init(Int, Int, Int, Int, Int, Int, Int, int* request) { return begin_request(request); }
int PMPI_Wait(int* request, Int status) {
    const bool stays = mpi.completed == std::vector{-1};  // a persistent one
    const int handle = *request;
    complete(request, status);
    if (stays) *request = handle;
    return 0;
}
int PMPI_Test(int* request, int* flag, Int status) {
    *flag = mpi.completed.empty() ? 0 : 1;
    if (*flag != 0) complete(request, status);
    return 0;
}
int PMPI_Waitall(int count, int* requests, Int statuses) {
    for (int i = 0; i < count; ++i)
        complete(&requests[i], statuses == kIgnore ? kIgnore : statuses + i * static_cast<Int>(sizeof(Status)));
    return 0;
}
int PMPI_Waitany(int, int* requests, int* index, Int status) {
    *index = mpi.completed.at(0);
    return complete(&requests[*index], status), 0;
}
int PMPI_Waitsome(int, int* requests, int* count, int* indices, Int statuses) {
    *count = static_cast<int>(mpi.completed.size());
    for (int i = 0; i < *count; ++i) {
        indices[i] = mpi.completed[static_cast<std::size_t>(i)];
        complete(&requests[indices[i]], statuses + i * static_cast<Int>(sizeof(Status)));
    }
    return 0;
}
int PMPI_Comm_dup(Int comm, int* copy) { return new_comm(static_cast<int>(comm), copy); }
int PMPI_Comm_free(int*) {
    if (mpi.inside) mpi.inside();
    return mpi.result;
}
int PMPI_Barrier() {
    if (mpi.inside) mpi.inside();
    return mpi.result;
}
#define CLEARWAY_MADE_UP(name) \
    int name() { return 0; }
CLEARWAY_MADE_UP(PMPI_Bcast)
CLEARWAY_MADE_UP(PMPI_Reduce)
CLEARWAY_MADE_UP(PMPI_Allreduce)
CLEARWAY_MADE_UP(PMPI_Gather)
CLEARWAY_MADE_UP(PMPI_Allgatherv)
CLEARWAY_MADE_UP(PMPI_Scatter)
CLEARWAY_MADE_UP(PMPI_Scatterv)
CLEARWAY_MADE_UP(PMPI_Alltoall)
CLEARWAY_MADE_UP(PMPI_Alltoall_c)
CLEARWAY_MADE_UP(PMPI_Alltoallv)
CLEARWAY_MADE_UP(PMPI_Alltoallw)
CLEARWAY_MADE_UP(PMPI_Reduce_scatter)
CLEARWAY_MADE_UP(PMPI_Reduce_scatter_block)
}
