#include "slurm/gather.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "run_record/layout.hpp"
#include "slurm/step.hpp"
#include "slurm/summary.hpp"

namespace clearway::slurm {
namespace {

constexpr char kSuffix[] = ".cwr";
constexpr int kMostSignal = 64;
constexpr std::size_t kMostRecord_bytes = std::size_t{256} << 20;  // a record is bounded far below

struct Record {
    std::string name;
    FileHeader header;
    bool begun;  // else it ends before its header
};

bool is_record(const std::string& name) {
    return name.size() > sizeof kSuffix && name[0] != '.' && name.ends_with(kSuffix);
}

// -1, with errno, where it cannot be read.
int open_record(int spool, const std::string& name) {
    return openat(spool, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

std::vector<Record> records_in(int spool) {
    std::vector<Record> found;
    const int again = openat(spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* folder = again >= 0 ? fdopendir(again) : nullptr;
    if (folder == nullptr) return found;
    while (const dirent* entry = readdir(folder)) {
        const std::string name = entry->d_name;
        const int fd = is_record(name) ? open_record(spool, name) : -1;
        if (fd < 0) continue;
        Record record{name, {}, false};
        const bool whole = pread(fd, &record.header, sizeof record.header, 0) == sizeof record.header;
        record.begun = whole && std::memcmp(record.header.magic, kMagic, sizeof kMagic) == 0;
        close(fd);
        found.push_back(std::move(record));
    }
    closedir(folder);
    return found;
}

bool still_runs(const Record& record) {
    return record.begun && record.header.pid > 0 && (kill(record.header.pid, 0) == 0 || errno == EPERM);
}

// A program that is linked with MPI and only printed its help: there is nothing to say of it.
bool used_no_mpi(const Record& record) {
    return record.header.kind == FileKind::rank && record.header.state == State::exited &&
           record.header.mpi_begin.monotonic_ns == 0;
}

// The signal that ended this process, as its parent saw (recorder/children.cpp) or as far as `killed` tells
// (Gathering); 0: none. The task may be a shell around it, which has another process id and the same rank.
int signal_of(const Record& record, const char* killed) {
    if (record.header.kind != FileKind::rank || record.header.state == State::exited) return 0;
    if (record.header.exit_code < 0 && record.header.exit_code >= -kMostSignal) return -record.header.exit_code;
    for (const char* at = killed; at != nullptr && *at != '\0';) {
        char* end = nullptr;
        const long rank = std::strtol(at, &end, 10);
        const long pid = *end == ':' ? std::strtol(end + 1, &end, 10) : 0;
        const long signal = *end == ':' ? std::strtol(end + 1, &end, 10) : 0;
        if (pid > 0 && (pid == record.header.pid || (rank >= 0 && rank == record.header.rank)))
            return static_cast<int>(signal);
        at = *end == ',' ? end + 1 : nullptr;
    }
    return 0;
}

bool is_process(const Record& record) { return record.begun && record.header.kind == FileKind::rank; }

int make_folders(const std::string& path) {
    for (std::size_t slash = 1; slash != std::string::npos;) {
        slash = path.find('/', slash + 1);
        const std::string part = path.substr(0, slash);
        struct stat status;
        if (mkdir(part.c_str(), 0777) != 0 && stat(part.c_str(), &status) != 0) return errno;
    }
    return 0;
}

int read_whole(int spool, const std::string& name, std::vector<std::uint8_t>& bytes) {
    const int fd = open_record(spool, name);
    if (fd < 0) return errno;
    struct stat status;
    int error = fstat(fd, &status) == 0 ? 0 : errno;
    if (error == 0 && static_cast<std::size_t>(status.st_size) > kMostRecord_bytes) error = EFBIG;
    if (error == 0) {
        bytes.resize(static_cast<std::size_t>(status.st_size));
        std::size_t at = 0;
        while (at < bytes.size()) {
            const ssize_t got = read(fd, bytes.data() + at, bytes.size() - at);
            if (got <= 0) break;
            at += static_cast<std::size_t>(got);
        }
        bytes.resize(at);
    }
    close(fd);
    return error;
}

// Under another name first: what has the right name is whole. Network file systems say at the end that a quota is full.
int write_whole(int folder, const std::string& name, const std::vector<std::uint8_t>& bytes) {
    const std::string unfinished = "." + name + ".part";
    const int fd = openat(folder, unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    int error = 0;
    for (std::size_t at = 0; at < bytes.size() && error == 0;) {
        const ssize_t written = write(fd, bytes.data() + at, bytes.size() - at);
        if (written < 0 && errno != EINTR) error = errno;
        if (written > 0) at += static_cast<std::size_t>(written);
    }
    if (close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && renameat(folder, unfinished.c_str(), folder, name.c_str()) != 0) error = errno;
    if (error != 0) unlinkat(folder, unfinished.c_str(), 0);
    return error;
}

int bring(int spool, int folder, const Record& record, const char* killed) {
    std::vector<std::uint8_t> bytes;
    int error = read_whole(spool, record.name, bytes);
    if (error == ENOENT) return 0;  // somebody else gathers too
    const int signal = signal_of(record, killed);
    if (error == 0) error = write_whole(folder, record.name, summarise(bytes, kMostBytes, signal));
    if (error == 0) unlinkat(spool, record.name.c_str(), 0);
    return error;
}

void say_kept_back(const Gathering& gathering, int error) {
    std::fprintf(stderr, "cannot copy the record to %s: %s; it stays in %s until the next attempt\n", gathering.folder,
                 std::strerror(error), gathering.spool);
}

bool say(const char* what, const char* of, int error) {
    std::fprintf(stderr, "%s %s: %s\n", what, of, std::strerror(error));
    return false;
}

int bring_all(int spool, const Gathering& gathering, const std::vector<Record>& records) {
    int error = make_folders(gathering.folder);
    const int folder = error == 0 ? open(gathering.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (error == 0 && folder < 0) error = errno;
    for (const Record& record : records) {
        if (error != 0) break;
        if (!is_process(record)) error = bring(spool, folder, record, gathering.killed);
    }
    // A Run is there for its readers with its first rank: all that belongs to the host is there before.
    for (const Record& record : records) {
        if (error != 0) break;
        if (is_process(record)) error = bring(spool, folder, record, gathering.killed);
    }
    if (folder >= 0) close(folder);
    return error;
}

// Of a batch script's folder: each that no step uses, which is removed when `use` has emptied it.
template <typename Use>
void for_each_launch(const char* spool, const Use& use) {
    const int fd = open(spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* folder = fd >= 0 ? fdopendir(fd) : nullptr;
    if (folder == nullptr) return;
    while (const dirent* entry = readdir(folder)) {
        const std::string name = entry->d_name;
        if (!name.starts_with(kLaunch + 1)) continue;
        const int its = openat(dirfd(folder), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (its < 0) continue;
        if (flock(its, LOCK_EX | LOCK_NB) == 0) {
            use(std::string(spool) + "/" + name, name);
            unlinkat(dirfd(folder), name.c_str(), AT_REMOVEDIR);
        }
        close(its);
    }
    closedir(folder);
}

}  // namespace

bool gather(const Gathering& gathering) {
    const int spool = open(gathering.spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (spool < 0 && errno != ENOENT) return say("clearway-slurm: cannot look for records in", gathering.spool, errno);
    if (spool < 0) return true;  // somebody else has gathered them
    std::vector<Record> kept;
    bool some = false, runs = false;
    for (Record& record : records_in(spool)) {
        if (!gathering.over && still_runs(record)) {
            runs = true;
        } else if (!record.begun || used_no_mpi(record)) {
            unlinkat(spool, record.name.c_str(), 0);
        } else {
            some = some || is_process(record);
            kept.push_back(std::move(record));
        }
    }
    int error = 0;
    if (some) {
        error = bring_all(spool, gathering, kept);
    } else if (!runs) {
        for (const Record& record : kept) unlinkat(spool, record.name.c_str(), 0);
    }
    close(spool);
    if (error != 0) say_kept_back(gathering, error);
    return error == 0;
}

bool gather_launches(const char* spool, const char* folder) {
    const std::string run = folder;
    const std::size_t part = run.rfind(kBatch);
    if (part == std::string::npos) return say("clearway-slurm: not a Run of a batch script:", folder, EINVAL);
    bool whole = true;
    for_each_launch(spool, [&](const std::string& path, const std::string& name) {
        const std::string its = run.substr(0, part + 1) + name + run.substr(part + sizeof kBatch - 1);
        whole = gather({path.c_str(), its.c_str(), true}) && whole;
    });
    return whole;
}

void drop(const char* spool) {
    for_each_launch(spool, [](const std::string& path, const std::string&) { drop(path.c_str()); });
    const int fd = open(spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    for (const Record& record : records_in(fd)) unlinkat(fd, record.name.c_str(), 0);
    close(fd);
}

}  // namespace clearway::slurm
