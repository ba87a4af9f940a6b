#include "collectives/own_mpi.hpp"

#include <cstring>

#include "mpi/predefined.hpp"

namespace clearway::collectives {

namespace {

void set_constants(OwnMpi& mpi) {
    mpi.byte = predefined(kByte);
    mpi.uint64 = predefined(kUint64);
    mpi.max = predefined(kMax);
    mpi.errors_return = predefined(kErrorsReturn);
    mpi.null_request = predefined(kRequestNull);
    mpi.null_comm = predefined(kCommNull);
    mpi.handle_bytes = abi.abi == Abi::mpich ? sizeof(std::int32_t) : sizeof(Arg);
}

template <class Function>
bool look_up(const char* symbol, Function& function) {
    void* found = find_in_mpi(symbol);
    function = reinterpret_cast<Function>(found);
    return found != nullptr;
}

bool look_up_all(OwnMpi& mpi) {
    return look_up("PMPI_Isend", mpi.isend) && look_up("PMPI_Irecv", mpi.irecv) &&
           look_up("PMPI_Waitsome", mpi.waitsome) && look_up("PMPI_Testsome", mpi.testsome) &&
           look_up("PMPI_Ibarrier", mpi.ibarrier) && look_up("PMPI_Cancel", mpi.cancel) &&
           look_up("PMPI_Request_free", mpi.request_free) && look_up("PMPI_Allreduce", mpi.allreduce) &&
           look_up("PMPI_Allgather", mpi.allgather) && look_up("PMPI_Comm_rank", mpi.comm_rank) &&
           look_up("PMPI_Comm_size", mpi.comm_size) && look_up("PMPI_Comm_group", mpi.comm_group) &&
           look_up("PMPI_Comm_create", mpi.comm_create) && look_up("PMPI_Comm_free", mpi.comm_free) &&
           look_up("PMPI_Comm_test_inter", mpi.comm_test_inter) &&
           look_up("PMPI_Comm_get_errhandler", mpi.comm_get_errhandler) &&
           look_up("PMPI_Comm_set_errhandler", mpi.comm_set_errhandler) &&
           look_up("PMPI_Comm_call_errhandler", mpi.comm_call_errhandler) &&
           look_up("PMPI_Group_free", mpi.group_free) && look_up("PMPI_Errhandler_free", mpi.errhandler_free) &&
           look_up("PMPI_Group_translate_ranks", mpi.group_translate_ranks) &&
           look_up("PMPI_Initialized", mpi.initialized);
}

const OwnMpi* find_own_mpi() {
    static OwnMpi mpi{};
    detect_abi();
    if (abi.abi == Abi::none || !look_up_all(mpi)) return nullptr;
    set_constants(mpi);
    return &mpi;
}

}  // namespace

const OwnMpi* own_mpi() {
    static const OwnMpi* const found = find_own_mpi();
    return found;
}

void Handle::set(Arg value) {
    if (abi.abi == Abi::mpich) {
        const auto narrow = static_cast<std::int32_t>(value);
        std::memcpy(&room_, &narrow, sizeof narrow);
    } else {
        room_ = value;
    }
}

}  // namespace clearway::collectives
