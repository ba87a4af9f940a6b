#include "collectives/earlier_jobs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/hash.hpp"
#include "base/never_destroyed.hpp"
#include "base/size_limit.hpp"
#include "base/small_file.hpp"
#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

namespace {

constexpr std::size_t kMostLines = 512;  // of the file
constexpr std::size_t kMostFound = 256;  // by one job
constexpr std::size_t kMostShared = 60;  // for one communicator
constexpr std::size_t kLongestPath = 4000;

std::mutex earlier_jobs_mutex;
std::vector<TableLine>& found() {
    static NeverDestroyed<std::vector<TableLine>> lines;
    return *lines;
}

std::string library_version() {
    char text[8192] = "";  // MPI_MAX_LIBRARY_VERSION_STRING, the largest of all MPIs
    int length = 0;
    if (call_real("PMPI_Get_library_version", &text[0], &length) != kMpiSuccess) return "";
    text[sizeof text - 1] = '\0';
    const std::string_view all = text;
    return std::string(all.substr(0, all.find('\n')));
}

// "eth0 10000, ib0 100000": those that are up.
std::string network_cards() {
    std::vector<std::string> cards;
    DIR* directory = opendir("/sys/class/net");
    if (directory == nullptr) return "";
    while (const dirent* entry = readdir(directory)) {
        const std::string name = entry->d_name;
        char speed[64];
        if (name[0] == '.' || name == "lo" ||
            !read_line(("/sys/class/net/" + name + "/speed").c_str(), speed, sizeof speed))
            continue;
        cards.push_back(std::string(name).append(" ").append(speed));
    }
    closedir(directory);
    std::sort(cards.begin(), cards.end());
    std::string text;
    for (const std::string& card : cards) text += (text.empty() ? "" : ", ") + card;
    return text;
}

// What the findings hold for, as the file says in its second line.
std::string description() {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::string text = "hosts " + cluster_name(host) + "; " + library_version() + "; " + network_cards();
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return text;
}

// Empty: nothing is remembered.
std::string directory() {
    const char* given = std::getenv("CLEARWAY_FLOW_MEMORY");
    if (given != nullptr && *given != '\0') return std::strcmp(given, "off") == 0 ? "" : given;
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return std::string(cache) + "/clearway/flow";
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache/clearway/flow" : "";
}

std::string file_path(const std::string& described) {
    const std::string folder = directory();
    if (folder.empty() || folder.size() > kLongestPath) return "";
    char name[32];
    std::snprintf(name, sizeof name, "/%016llx.table", static_cast<unsigned long long>(fnv1a(described)));
    return folder + name;
}

std::vector<TableLine> read_lines(const std::string& path) {
    std::string text, fault;
    FlowTable table;
    if (path.empty() || read_whole(path.c_str(), text) != 0 || !parse_table(text, table, fault)) return {};
    return table.lines;
}

void make_folders(const std::string& path) {
    for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
        syscall(SYS_mkdirat, AT_FDCWD, path.substr(0, at).c_str(), 0700);
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const long count = syscall(SYS_write, fd, text.data(), text.size());
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

// Whole or not at all: another job may be reading it.
void replace_file(const std::string& path, const std::string& text) {
    if (!may_grow_to(text.size())) return;
    make_folders(path);
    const std::string made = path + '.' + std::to_string(getpid());
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    const auto fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, made.c_str(), kFlags, 0600));
    if (fd < 0) return;
    const bool written = write_all(fd, text);
    const bool closed = syscall(SYS_close, fd) == 0;
    if (!written || !closed || syscall(SYS_renameat2, AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), 0) != 0)
        syscall(SYS_unlinkat, AT_FDCWD, made.c_str(), 0);
}

bool is_rank_0_of_job() {
    int rank = -1;
    return call_real("PMPI_Comm_rank", comm_world(), &rank) == kMpiSuccess && rank == 0;
}

bool is_of_same_shape(const TableLine& a, const TableLine& b) {
    return a.operation == b.operation && a.ranks == b.ranks && a.hosts == b.hosts && a.block_bytes == b.block_bytes;
}

}  // namespace

std::string cluster_name(std::string_view host) {
    std::string name;
    for (const char c : host.substr(0, host.find('.')))
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) name += c;
    return name;
}

std::vector<TableLine> merged(const std::vector<TableLine>& old, const std::vector<TableLine>& found) {
    std::vector<TableLine> lines;
    for (const TableLine& line : old)
        if (std::ranges::none_of(found, [&](const TableLine& other) { return is_of_same_shape(line, other); }))
            lines.push_back(line);
    lines.insert(lines.end(), found.begin(), found.end());
    if (lines.size() > kMostLines) lines.erase(lines.begin(), lines.end() - kMostLines);
    return lines;
}

std::string remembered_lines(std::uint32_t ranks, std::uint32_t hosts) {
    static const std::vector<TableLine> all = read_lines(file_path(description()));
    std::string text;
    std::size_t count = 0;
    for (auto line = all.rbegin(); line != all.rend() && count < kMostShared; ++line) {
        if (line->ranks != ranks || line->hosts != hosts) continue;
        text += text_of(*line);
        ++count;
    }
    return text;
}

void remember(const TableLine& line) {
    const std::lock_guard lock(earlier_jobs_mutex);
    auto& lines = found();
    std::erase_if(lines, [&](const TableLine& other) { return is_of_same_shape(line, other); });
    if (lines.size() < kMostFound) lines.push_back(line);
}

void write_memory() {
    const std::lock_guard lock(earlier_jobs_mutex);
    if (found().empty() || !is_rank_0_of_job()) return;
    const std::string described = description();
    const std::string path = file_path(described);
    if (path.empty()) return;
    std::string text = std::string(kTableTitle) + "\n# " + described + '\n';
    for (const TableLine& line : merged(read_lines(path), found())) text += text_of(line);
    replace_file(path, text);
}

}  // namespace clearway::collectives
