#include "io_cache/files/creation_times.hpp"

#include <sys/sysmacros.h>

#include <climits>
#include <cstdlib>

#include "base/hash.hpp"
#include "base/host.hpp"
#include "base/size_limit.hpp"
#include "io_cache/files/kernel.hpp"

namespace clearway::io_cache {

namespace {

// A file is known again by what it is and by all that the kernel changes with it. An inode number alone does not do: a
// deleted file's may be another's soon, and some file systems give numbers for the time being.
struct Left {
    std::uint64_t device, inode, size_bytes;
    std::int64_t modified_ns, changed_ns;
    std::uint64_t created_ns;
    std::uint64_t reserved[2];
};
static_assert(sizeof(Left) == 64);

// The file is a table: each inode has its place, and a later file takes it. So it is bounded, it is searched by one
// read, and what is lost is a file that is served for reading only.
constexpr int kPlaceBits = 14;

char path[PATH_MAX];

off_t place_of(const Left& left) {
    const std::uint64_t mixed = (left.inode ^ left.device << 32) * kGoldenRatio;
    return static_cast<off_t>((mixed >> (64 - kPlaceBits)) * sizeof(Left));
}

std::int64_t nanoseconds(const statx_timestamp& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

Left as_it_is(const struct statx& status) {
    Left left{};
    left.device = makedev(status.stx_dev_major, status.stx_dev_minor);
    left.inode = status.stx_ino;
    left.size_bytes = status.stx_size;
    left.modified_ns = nanoseconds(status.stx_mtime);
    left.changed_ns = nanoseconds(status.stx_ctime);
    return left;
}

bool is_same(const Left& a, const Left& b) {
    return a.device == b.device && a.inode == b.inode && a.size_bytes == b.size_bytes &&
           a.modified_ns == b.modified_ns && a.changed_ns == b.changed_ns;
}

}  // namespace

void find_creation_times() {
    const char* directory = std::getenv("CLEARWAY_DIR");
    if (directory == nullptr || directory[0] != '/') return;
    char host[64];  // inode and device numbers are those of one host
    safe_host_name(host);
    const int length = std::snprintf(path, sizeof path, "%s/births.%s", directory, host);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) path[0] = '\0';
}

std::uint64_t noted_creation_ns(const struct statx& status) {
    const int fd = path[0] != '\0' ? kernel::open(path, O_RDONLY) : -1;
    if (fd < 0) return 0;
    const Left now = as_it_is(status);
    Left noted{};
    const iovec whole{&noted, sizeof noted};
    const bool known = kernel::preadv(fd, &whole, 1, place_of(now)) == sizeof noted && is_same(noted, now);
    kernel::close(fd);
    return known ? noted.created_ns : 0;
}

void note_creation(int fd, std::uint64_t created_ns) {
    struct statx status {};
    if (path[0] == '\0' || kernel::statx(fd, STATX_BASIC_STATS, status) != 0) return;
    Left left = as_it_is(status);
    left.created_ns = created_ns;
    if (!may_grow_to(static_cast<std::uint64_t>(place_of(left)) + sizeof left)) return;
    const int times = kernel::open(path, O_WRONLY | O_CREAT, 0600);
    if (times < 0) return;
    const iovec whole{&left, sizeof left};
    kernel::pwritev(times, &whole, 1, place_of(left));
    kernel::close(times);
}

}  // namespace clearway::io_cache
