// What the cache knows of this process's files: which descriptors lead to which file in it, and where they stand.
//
//   descriptors[fd] -> OpenFile (position, access) -> CachedFile (one per inode) -> records in the Cache
//
// As in the kernel, descriptors that were dup'ed share an OpenFile. Below them all lies one open file description of
// the kernel, which the program's first open made: while a file is in the cache, the kernel's position in it means
// nothing.
//
// One lock for reading and writing guards it all: `table_lock`. Transfers share it; whoever opens, closes or gives back
// a file has it alone. Objects come from pools that live as long as the process, so that a descriptor that another
// thread closes at this moment leads to nothing worse than a wrong answer.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "io_cache/files/lease.hpp"
#include "io_cache/files/privacy.hpp"
#include "io_cache/signals/defer.hpp"
#include "io_cache/store/cache.hpp"

namespace clearway::io_cache {

inline constexpr int kMostDescriptors = 16384;  // higher ones are not served
inline constexpr int kMostOpenFiles = 1024;
inline constexpr int kMostFiles = 256;

inline constexpr int kSettable = O_APPEND | O_NONBLOCK | O_NOATIME;  // by fcntl, of what cached files are opened with

struct OpenFile;

struct CachedFile {
    FileId id = kNoFile;  // kNoFile: free
    int fd = -1;          // ours, at the kernel's open file description
    dev_t device = 0;
    ino_t inode = 0;
    int flags = 0;  // the access that the kernel's open file description has
    Lease lease = Lease::none;
    bool takes_writes = false;  // else it leaves when one comes
    Privacy privacy = Privacy::shared;
    bool is_watched = false;                   // the lease tells of everybody who opens it, on other hosts, too
    bool has_true_inode = false;               // all its hard links are this inode
    std::uint64_t untold_creation_ns = 0;      // when it was made, CLOCK_REALTIME, where its file system does not tell
    bool has_flock = false;                    // by flock, which the kernel's open file description has
    OpenFile* first = nullptr;                 // those that are open
    std::uint64_t closed_ns = 0;               // since when none is, CLOCK_MONOTONIC
    std::uint64_t unwritten_since_ns = 0;      // likewise, while it is to be written back for that; 0: it is not
    std::atomic<off_t> room_bytes{0};          // up to this size its file system had room
    std::atomic<std::uint64_t> free_bytes{0};  // of its file system, when it was asked last
    std::atomic<std::uint64_t> written_ns{0};  // by the program, CLOCK_REALTIME; 0: what the file system says is right
    std::atomic<std::uint64_t> read_ns{0};     // likewise
    std::atomic<bool> read_counts{false};      // the next one moves the time of access
    std::atomic<std::uint64_t> changed_ns{0};  // by us, the file system's file, CLOCK_REALTIME
    mutable std::atomic<std::uint64_t> breaking_ns{0};  // when somebody was seen to wait for it, CLOCK_MONOTONIC
    std::atomic<bool> is_settled{false};  // the kernel took the lease, and what others wrote is with what we did
};

struct OpenFile {
    CachedFile* file = nullptr;  // null: it has left the cache, and `error` has not been told yet
    OpenFile* next = nullptr;    // of the same file
    int flags = 0;               // with which the program opened it
    int descriptors = 0;         // 0: free
    std::atomic<int> error{0};
    off_t position = 0;
    pthread_mutex_t moving = PTHREAD_MUTEX_INITIALIZER;  // reads and writes at the position take turns (POSIX)
};

extern std::atomic<OpenFile*> descriptors[kMostDescriptors];
extern CachedFile files[kMostFiles];
extern std::atomic<int> file_count;       // of `files` in use
extern std::atomic<int> unleased_count;   // of them without a lease: the kernel does not tell us who opens them
extern std::atomic<unsigned> files_gone;  // how many have left
extern Cache* cache;                      // null: nothing is cached in this process
extern std::atomic<bool> serving;         // files may enter
extern std::atomic<int> becoming;         // threads about to make this another program; then none enters
extern std::atomic<pid_t> own_process;    // 0: nobody's, and the program's system calls are all that there are

// For lock and unlock; also taken around fork.
extern pthread_rwlock_t table_lock;

// Whether this thread has `table_lock`: handlers of faults alone may come to a door then, and go to the kernel.
extern thread_local bool has_table_lock [[gnu::tls_model("initial-exec")]];

[[gnu::always_inline]] inline bool is_cached(int fd) {
    return static_cast<unsigned>(fd) < kMostDescriptors && descriptors[fd].load(std::memory_order_relaxed) != nullptr;
}

// A fork that no door sees calls no handlers: its child would serve its parent's files, and write them back. So it
// finds none of them. Called once.
void hide_from_forks();

// When this process has looked at its leases last, CLOCK_MONOTONIC_COARSE. The background thread does, every half
// second; where it has not for longer, the process may have been stopped (taken.hpp).
extern std::atomic<std::uint64_t> leases_seen_ns;
inline bool leases_are_old() {
    constexpr std::uint64_t kOld_ns = 900'000'000;  // the kernel takes none within a second
    return file_count.load(std::memory_order_relaxed) != 0 &&
           clock_ns(CLOCK_MONOTONIC_COARSE) - leases_seen_ns.load(std::memory_order_acquire) > kOld_ns;
}

// Whether a lock is asked for that looks at old leases first.
enum class Looks { yes, no };

// False in a child made by vfork, which runs in our memory with descriptors of its own.
bool in_own_process();

// `table_lock`, shared or alone, for a scope. Does not hold where this thread has it already.
class SharedLock {
public:
    SharedLock();
    ~SharedLock();
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;
    explicit operator bool() const { return holds_; }

private:
    const DeferSignals deferred_;
    bool holds_;
};

class ExclusiveLock {
public:
    explicit ExclusiveLock(Looks looks = Looks::yes);
    ~ExclusiveLock();
    ExclusiveLock(const ExclusiveLock&) = delete;
    ExclusiveLock& operator=(const ExclusiveLock&) = delete;
    explicit operator bool() const { return holds_; }

private:
    const DeferSignals deferred_;
    bool holds_;
};

CachedFile* find_file(dev_t device, ino_t inode);  // with `table_lock` shared

// With `table_lock` held alone:
CachedFile* free_file();                               // null: there are too many
OpenFile* new_open_file(CachedFile& file, int flags);  // null likewise; it lives when a descriptor is attached
void remove_open_file(OpenFile& open);
void attach(int fd, OpenFile& open);
void detach(int fd);  // the last one of an open file takes it along

}  // namespace clearway::io_cache
