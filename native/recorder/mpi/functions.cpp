#include "recorder/mpi/functions.hpp"

#include <cstdio>
#include <cstring>

#include "mpi/abi.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint16_t kMostFunctions = kFirstDynamicFunction;
bool announced[kMostFunctions];

int missing_function() { return kMissing; }

// What mpi4py does where there is no MPI_Comm_idup_with_info; an MPI need not heed the info.
int idup_without_info(Arg comm, Arg, Arg twin, Arg request) { return call_real("PMPI_Comm_idup", comm, twin, request); }

void* stand_in(const char* symbol) {
    if (std::strcmp(symbol, "PMPI_Comm_idup_with_info") == 0) return reinterpret_cast<void*>(idup_without_info);
    return reinterpret_cast<void*>(missing_function);
}

}  // namespace

void announce_function(std::uint16_t id) {
    if (__atomic_exchange_n(&announced[id], true, __ATOMIC_RELAXED)) return;
    name_function(id, wrapped_functions[id].name, wrapped_functions[id].function_class);
}

void* resolve_function(std::uint16_t id, Name name, const void* caller) {
    char symbol[128];
    std::snprintf(symbol, sizeof symbol, "P%s", wrapped_functions[id].name);
    // First of all: another library of ours has the large-count names, too.
    void* found = narrow_functions[id][static_cast<unsigned>(name)];
    if (found != nullptr && mpi_has(symbol)) found = nullptr;
    if (found == nullptr && name == Name::mpi) found = find_tool(symbol + 1, caller);
    if (found == nullptr) found = find_in_mpi(symbol);
    if (found == nullptr) found = stand_in(symbol);
    __atomic_store_n(&real_functions[id][static_cast<unsigned>(name)], found, __ATOMIC_RELAXED);
    if (recording) announce_function(id);  // before the call: a record may end in the first one of its kind
    return found;
}

}  // namespace clearway::recorder
