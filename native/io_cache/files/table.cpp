#include "io_cache/files/table.hpp"

#include "base/own_page.hpp"
#include "io_cache/files/kernel.hpp"
#include "io_cache/files/taken.hpp"

namespace clearway::io_cache {

alignas(kOwnPage_bytes) constinit std::atomic<OpenFile*> descriptors[kMostDescriptors]{};
constinit CachedFile files[kMostFiles]{};
constinit std::atomic<int> file_count{0};
constinit std::atomic<int> unleased_count{0};
constinit std::atomic<unsigned> files_gone{0};
constinit Cache* cache = nullptr;
constinit std::atomic<bool> serving{false};
constinit std::atomic<int> becoming{0};
constinit std::atomic<std::uint64_t> leases_seen_ns{0};
constinit std::atomic<pid_t> own_process{0};
constinit pthread_rwlock_t table_lock =
    PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;  // transfers without end wait, too
constinit thread_local bool has_table_lock [[gnu::tls_model("initial-exec")]] = false;

namespace {

constinit OpenFile open_files[kMostOpenFiles]{};

}  // namespace

void hide_from_forks() { wipe_in_forked_children(descriptors, sizeof descriptors); }

bool in_own_process() {
    const pid_t own = own_process.load(std::memory_order_relaxed);
    return own != 0 && kernel::process() == own;
}

SharedLock::SharedLock() : holds_(!has_table_lock) {
    if (!holds_) return;
    if (leases_are_old()) [[unlikely]]
        let_go_of_taken();
    has_table_lock = true;
    pthread_rwlock_rdlock(&table_lock);
}

SharedLock::~SharedLock() {
    if (!holds_) return;
    pthread_rwlock_unlock(&table_lock);
    has_table_lock = false;
}

ExclusiveLock::ExclusiveLock(Looks looks) : holds_(!has_table_lock) {
    if (!holds_) return;
    if (looks == Looks::yes && leases_are_old()) [[unlikely]]
        let_go_of_taken();
    has_table_lock = true;
    pthread_rwlock_wrlock(&table_lock);
}

ExclusiveLock::~ExclusiveLock() {
    if (!holds_) return;
    pthread_rwlock_unlock(&table_lock);
    has_table_lock = false;
}

CachedFile* find_file(dev_t device, ino_t inode) {
    for (CachedFile& file : files)
        if (file.id != kNoFile && file.inode == inode && file.device == device) return &file;
    return nullptr;
}

CachedFile* free_file() {
    for (CachedFile& file : files)
        if (file.id == kNoFile) return &file;
    return nullptr;
}

OpenFile* new_open_file(CachedFile& file, int flags) {
    for (OpenFile& open : open_files) {
        if (open.descriptors != 0) continue;
        open.file = &file;
        open.next = file.first;
        open.flags = flags;
        open.error = 0;
        open.position = 0;
        file.first = &open;
        file.unwritten_since_ns = 0;  // what an engine has open may wait
        return &open;
    }
    return nullptr;
}

void remove_open_file(OpenFile& open) {
    if (open.file == nullptr) return;
    for (OpenFile** at = &open.file->first; *at != nullptr; at = &(*at)->next) {
        if (*at != &open) continue;
        *at = open.next;
        break;
    }
    open.file = nullptr;
}

void attach(int fd, OpenFile& open) {
    ++open.descriptors;
    descriptors[fd].store(&open, std::memory_order_release);
}

void detach(int fd) {
    OpenFile* open = descriptors[fd].exchange(nullptr, std::memory_order_relaxed);
    if (open != nullptr && --open->descriptors == 0) remove_open_file(*open);
}

}  // namespace clearway::io_cache
