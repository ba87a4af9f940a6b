#include "mpi/loaded.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace clearway {

namespace {

void* library = nullptr;

bool is_set(const char* variable) { return std::getenv(variable) != nullptr; }

// Both families call theirs libmpi.so, with numbers of their own; Debian's MPICH has another name.
std::vector<std::string> libraries_of_launcher() {
    const std::vector<std::string> all = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1"};
    if (is_set("OMPI_COMM_WORLD_SIZE") || is_set("OMPI_COMM_WORLD_RANK")) return {all.begin(), all.begin() + 1};
    if (is_set("PMI_RANK") || is_set("PMI_FD") || is_set("MPI_LOCALRANKID")) return {all.begin() + 1, all.end()};
    return {all.begin(), all.end()};
}

template <typename... Args>
int call_own(const char* name, Args... args) {
    void* function = own_entry_point(name);
    if (function == nullptr) return -1;
    return invoke(function, args...);
}

std::string version_of_mpi() {
    char version[8192] = "";  // MPI_MAX_LIBRARY_VERSION_STRING of MPICH and the standard ABI; of Open MPI 256
    int length = 0;
    call_own("PMPI_Get_library_version", version, &length);
    const std::string text = version;
    return text.substr(0, text.find('\n'));
}

// MPICH 4.0 over UCX hangs in MPI_Finalize now and then. By then everything has been printed.
constexpr unsigned kPatienceS = 5;
void leave(int) { _exit(0); }

}  // namespace

bool open_mpi(const std::string& path) {
    const std::vector<std::string> names = path.empty() ? libraries_of_launcher() : std::vector<std::string>{path};
    std::string reason;
    for (const std::string& name : names) {
        library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (library != nullptr) return true;
        const char* error = dlerror();
        reason += std::string("  ") + (error != nullptr ? error : name.c_str()) + "\n";
    }
    std::fprintf(stderr,
                 "%s: cannot load an MPI:\n%s\nhint: load the MPI's environment module, or give its "
                 "library: --mpi-library PATH\n",
                 program_invocation_short_name, reason.c_str());
    return false;
}

std::string mpi_library_path() {
    link_map* map = nullptr;
    if (library == nullptr || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return "";
    return map->l_name;
}

bool start_mpi(World& world) {
    void* const init = entry_point("MPI_Init");
    if (init == nullptr || reinterpret_cast<int (*)(int*, char***)>(init)(nullptr, nullptr) != 0) return false;
    detect_abi();
    if (abi.abi == Abi::none) return false;
    int rank = 0, ranks = 0;
    call_own("PMPI_Comm_rank", comm_world(), &rank);
    call_own("PMPI_Comm_size", comm_world(), &ranks);
    world = {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks), version_of_mpi()};
    return true;
}

void end_mpi() {
    std::signal(SIGALRM, leave);
    alarm(kPatienceS);
    void* const finalize = entry_point("MPI_Finalize");
    if (finalize != nullptr) reinterpret_cast<int (*)()>(finalize)();
    alarm(0);
}

void* entry_point(const char* name) { return dlsym(RTLD_DEFAULT, name); }
void* own_entry_point(const char* name) { return dlsym(library, name); }

void barrier() { call_own("PMPI_Barrier", comm_world()); }

std::vector<std::uint64_t> gather_all(const World& world, std::uint64_t value) {
    std::vector<std::uint64_t> values(world.ranks);
    const Arg count = sizeof value;
    call_own("PMPI_Allgather", &value, count, predefined(kByte), values.data(), count, predefined(kByte), comm_world());
    return values;
}

}  // namespace clearway
