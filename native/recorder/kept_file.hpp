// A file of /proc that is read again and again. Where the caller's descriptors are its own, this one stays open, and a
// reading costs a third. Owned by one thread.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "base/small_file.hpp"
#include "recorder/sockets/job_descriptors.hpp"

namespace clearway::recorder {

class KeptFile {
public:
    // As read_record: the first line of `path`, and what is behind it.
    bool read(const char* path, char* text, std::size_t size) {
        if (!has_own_descriptors()) return read_record(path, text, size);
        if (fd_ < 0) fd_ = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
        if (fd_ < 0) return false;
        const long count = syscall(SYS_pread64, fd_, text, size - 1, 0);
        if (count <= 0 || fd_ >= most_kept()) close();
        text[std::max(count, 0L)] = '\0';
        return count > 0;
    }

    void close() {
        if (fd_ >= 0) syscall(SYS_close, fd_);
        fd_ = -1;
    }

private:
    // The kernel gives out the lowest number that is free: half of them stay so for all else that is opened.
    static int most_kept() {
        static const int most = [] {
            rlimit limit{};
            if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
            return static_cast<int>(std::min<rlim_t>(limit.rlim_cur / 2, 512));
        }();
        return most;
    }

    int fd_ = -1;
};

// /proc/self/task/TID/NAME of one thread, until another's is asked for.
class KeptThreadFile {
public:
    constexpr explicit KeptThreadFile(const char* name) : name_(name) {}

    bool read(unsigned tid, char* text, std::size_t size) {
        if (tid != tid_) file_.close();
        tid_ = tid;
        char path[64];
        std::snprintf(path, sizeof path, "/proc/self/task/%u/%s", tid, name_);
        return file_.read(path, text, size);
    }

private:
    const char* name_;
    unsigned tid_ = 0;
    KeptFile file_;
};

}  // namespace clearway::recorder
