#include "mpi/abi.hpp"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "mpi/predefined.hpp"

namespace clearway {

AbiConstants abi{};

namespace {

struct Range {
    std::uintptr_t begin = ~std::uintptr_t{0}, end = 0;
    bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

Range image_of(const dl_phdr_info& info) {
    Range range;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
        const auto& segment = info.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const std::uintptr_t from = info.dlpi_addr + segment.p_vaddr;
        if (from < range.begin) range.begin = from;
        if (from + segment.p_memsz > range.end) range.end = from + segment.p_memsz;
    }
    return range;
}

// The MPI's library, in whichever scope it was loaded.
struct LoadedMpi {
    char path[4096] = "";
    Range image, program;
    std::size_t others = 0;  // named for MPI, but another library: to be passed over
};
constinit std::atomic<const LoadedMpi*> loaded_mpi{nullptr};

// Only libraries named for MPI: libmpi.so, libmpi_abi.so, Debian's libmpich.so. The program comes first of all.
int note_library(dl_phdr_info* info, std::size_t, void* data) {
    auto& mpi = *static_cast<LoadedMpi*>(data);
    const char* path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    if (*path == '\0') {
        if (mpi.program.end == 0) mpi.program = image_of(*info);
        return 0;
    }
    const char* name = std::strrchr(path, '/');
    name = name != nullptr ? name + 1 : path;
    if (std::strncmp(name, "libmpi", 6) != 0 || std::strlen(path) >= sizeof mpi.path) return 0;
    if (mpi.others > 0) {
        --mpi.others;
        return 0;
    }
    std::strcpy(mpi.path, path);
    mpi.image = image_of(*info);
    return 1;
}

void* find_in_file(const char* path, const char* symbol) {
    void* handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    void* found = dlsym(handle, symbol);
    dlclose(handle);
    return found;
}

// The library that defines PMPI_Comm_rank. It is asked outside dl_iterate_phdr: dlopen in there would take the
// linker's two locks in the order that makes a deadlock with another thread's dlopen.
bool find_loaded_mpi(LoadedMpi& mpi) {
    for (std::size_t others = 0;; ++others) {
        mpi.others = others;
        if (dl_iterate_phdr(note_library, &mpi) == 0) return false;
        const void* symbol = find_in_file(mpi.path, "PMPI_Comm_rank");
        if (symbol != nullptr && mpi.image.holds(reinterpret_cast<std::uintptr_t>(symbol))) return true;
    }
}

// The addresses of its functions are kept: an MPI that is unloaded with a plugin could come back elsewhere. Open MPI
// stays anyhow: it makes itself visible to the whole process, and the linker keeps whatever it found for us.
void stay_loaded(const LoadedMpi& mpi) {
    if (void* handle = dlopen(mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) dlclose(handle);
}

// A rank that found no memory here would take the MPI for a tool, and not do as the others do: so there is room for the
// threads that may well come at once.
LoadedMpi* room_for_mpi() {
    static LoadedMpi rooms[8];
    static std::atomic<unsigned> taken{0};
    const unsigned number = taken.fetch_add(1, std::memory_order_relaxed);
    return number < std::size(rooms) ? &rooms[number] : static_cast<LoadedMpi*>(std::malloc(sizeof(LoadedMpi)));
}

// Null as long as no MPI is loaded. Threads that come at once each look for themselves, and the first one's stays: a
// lock would be held across the linker's.
const LoadedMpi* find_mpi() {
    const LoadedMpi* known = loaded_mpi.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    LoadedMpi mpi;
    if (!find_loaded_mpi(mpi)) return nullptr;
    LoadedMpi* const found = room_for_mpi();
    if (found == nullptr) return nullptr;
    *found = mpi;
    stay_loaded(mpi);
    return loaded_mpi.compare_exchange_strong(known, found, std::memory_order_acq_rel) ? found : known;
}

std::uint64_t ask_type_bytes(Arg datatype) {
    static void* const type_size = find_in_mpi("PMPI_Type_size");
    int bytes = 0;
    if (type_size == nullptr || reinterpret_cast<int (*)(Arg, int*)>(type_size)(datatype, &bytes) != 0) return 0;
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

// Looks where the MPI was loaded: a Python module or plugin may have given it a scope of its own.
void* find_in_library(const char* symbol) {
    const LoadedMpi* mpi = find_mpi();
    return mpi != nullptr ? find_in_file(mpi->path, symbol) : nullptr;
}

// Also the recorder is, where --flow asks: it stands in front, and would call us again.
bool is_in_clearway(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
    const char* name = std::strrchr(info.dli_fname, '/');
    return std::strncmp(name != nullptr ? name + 1 : info.dli_fname, "libclearway", 11) == 0;
}

// What the library that holds `caller` sees in the scope of its own, where that is not us, nor itself: a library that
// is preloaded before ours hands its calls on to us, and would get them back for ever.
void* find_in_scope_of(const void* caller, const char* symbol) {
    Dl_info info{}, its{};
    if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return nullptr;
    void* found = find_in_file(info.dli_fname, symbol);
    if (found == nullptr || is_in_clearway(found)) return nullptr;
    return dladdr(found, &its) != 0 && its.dli_fbase == info.dli_fbase ? nullptr : found;
}

// MPICH's ABI is shared by a family (https://www.mpich.org/abi/); another MPI's handles would be misread.
bool is_mpich_family() {
    char version[8192] = "";
    int length = 0;
    call_real("PMPI_Get_library_version", version, &length);
    static constexpr const char* kMembers[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPI", "ParaStation"};
    for (const char* member : kMembers)
        if (std::strstr(version, member) != nullptr) return true;
    return false;
}

AbiConstants find_constants() {
    if (find_object("ompi_mpi_comm_world") != 0) return {Abi::open_mpi, -1, -1, -2, -4, 1, 0, 24, 0, 4, 3, 1, 2, 3};
    const LoadedMpi* mpi = find_mpi();
    if (mpi != nullptr && std::strstr(mpi->path, "mpi_abi.so") != nullptr)
        return {Abi::standard, -1, -2, -3, -4, 1, 0, 32, 0, 4, 4096, 211, 212, 213};
    if (is_mpich_family()) return {Abi::mpich, -2, -1, -1, -3, -1, 1, 20, 8, 12, 3, 2, 1, 3};
    return {};
}

// MPICH's handles of predefined types hold their size (src/include/mpir_datatype.h: MPIR_Datatype_get_basic_size).
bool is_basic_in_mpich(Arg datatype) { return (static_cast<std::uint32_t>(datatype) & 0xff000000U) == 0x4c000000U; }

int status_int(Arg status, int offset) {
    int value;
    std::memcpy(&value, reinterpret_cast<const char*>(status) + offset, sizeof value);
    return value;
}

}  // namespace

void* find_in_mpi(const char* symbol) {
    void* found = dlsym(RTLD_NEXT, symbol);
    return found != nullptr ? found : find_in_library(symbol);
}

bool mpi_has(const char* symbol) {
    const LoadedMpi* mpi = find_mpi();
    return mpi == nullptr || find_in_file(mpi->path, symbol) != nullptr;
}

// Open MPI, loaded into a plugin's scope, makes itself known to all when it starts: the plugin's own scope counts then,
// too.
void* find_tool(const char* symbol, const void* caller) {
    const LoadedMpi* mpi = find_mpi();
    const auto is_tool = [mpi](void* found) {
        return found != nullptr && (mpi == nullptr || !mpi->image.holds(reinterpret_cast<std::uintptr_t>(found)));
    };
    void* found = dlsym(RTLD_NEXT, symbol);
    if (!is_tool(found)) found = find_in_scope_of(caller, symbol);
    return is_tool(found) ? found : nullptr;
}

// Objects, unlike functions, are to be found from the program on: the linker may have copied them into it, and
// then the library itself uses the copy.
Arg find_object(const char* symbol) {
    void* found = dlsym(RTLD_DEFAULT, symbol);
    return reinterpret_cast<Arg>(found != nullptr ? found : find_in_library(symbol));
}

// Two threads may make the first calls of a process at once. Neither may see a half of what is found.
void detect_abi() {
    static std::atomic<bool> is_known{false};
    static std::mutex turn;
    if (is_known.load(std::memory_order_acquire)) return;
    const AbiConstants found = find_constants();
    if (found.abi == Abi::none) return;
    const std::lock_guard<std::mutex> lock(turn);
    if (is_known.load(std::memory_order_relaxed)) return;
    abi = found;
    is_known.store(true, std::memory_order_release);
}

Arg comm_world() { return predefined(kCommWorld); }
Arg comm_self() { return predefined(kCommSelf); }

bool is_null_comm(Arg comm) { return comm == predefined<kCommNull>(); }

int status_source(Arg status) { return status_int(status, abi.status_source); }
int status_tag(Arg status) { return status_int(status, abi.status_tag); }
int status_error(Arg status) { return status_int(status, abi.status_tag + static_cast<int>(sizeof(int))); }

// Open MPI keeps the bytes in _ucount. MPICH keeps their low 32 bits in the first word and the rest above the
// cancelled bit of the second. The standard ABI keeps them out of sight.
std::uint64_t status_bytes_received(Arg status) {
    if (abi.abi == Abi::open_mpi) {
        std::size_t bytes;
        std::memcpy(&bytes, reinterpret_cast<const char*>(status) + 16, sizeof bytes);
        return bytes;
    }
    if (abi.abi == Abi::mpich) {
        const auto low = static_cast<std::uint32_t>(status_int(status, 0));
        const auto high = static_cast<std::uint32_t>(status_int(status, 4)) >> 1;
        return low | (static_cast<std::uint64_t>(high) << 32);
    }
    static void* const get_count = find_in_mpi("PMPI_Get_count");
    int bytes = 0;
    if (get_count == nullptr ||
        reinterpret_cast<int (*)(Arg, Arg, int*)>(get_count)(status, kByte.standard, &bytes) != 0)
        return 0;
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

bool status_cancelled(Arg status) {
    int cancelled = 0;
    return call_real("PMPI_Test_cancelled", status, &cancelled) == 0 && cancelled != 0;
}

bool is_predefined_type(Arg datatype) {
    if (abi.abi == Abi::mpich) return is_basic_in_mpich(datatype);
    if (abi.abi == Abi::standard) return datatype > 0 && datatype < 0x1000;
    // Open MPI's are objects in the library, or copied into the program by the linker; derived ones are on the heap.
    const auto address = static_cast<std::uintptr_t>(datatype);
    const LoadedMpi* mpi = find_mpi();
    return mpi != nullptr && (mpi->image.holds(address) || mpi->program.holds(address));
}

Arg null_datatype() { return predefined<kDatatypeNull>(); }

bool is_null_type(Arg datatype) { return as_handle(datatype) == null_datatype(); }

constinit thread_local KnownType last_type [[gnu::tls_model("initial-exec")]] = {};

std::uint64_t look_up_type(Arg datatype) {
    if (abi.abi == Abi::mpich && is_basic_in_mpich(datatype))
        return (static_cast<std::uint32_t>(datatype) >> 8) & 0xffU;
    datatype = as_handle(datatype);
    if (is_null_type(datatype)) return 0;
    const std::uint64_t bytes = ask_type_bytes(datatype);
    if (abi.abi != Abi::mpich && is_predefined_type(datatype)) last_type = {datatype, bytes};
    return bytes;
}

}  // namespace clearway
