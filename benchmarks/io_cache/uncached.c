/* A file system that the kernel does not cache and that is as slow as it is told: a file server of one's own.
 *
 *   uncached -o source=FOLDER,rate=BYTES_PER_S,latency=NS [FUSE OPTIONS] MOUNT_POINT
 *
 * It hands everything on to FOLDER. Every read and write reaches it (direct_io), waits for its turn behind those before
 * it, and takes latency + bytes / rate. */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static struct {
    char* source;
    unsigned long rate_bytes_per_s, latency_ns;
} settings;

static const struct fuse_opt OPTIONS[] = {
    {"source=%s", offsetof(__typeof__(settings), source), 0},
    {"rate=%lu", offsetof(__typeof__(settings), rate_bytes_per_s), 0},
    {"latency=%lu", offsetof(__typeof__(settings), latency_ns), 0},
    FUSE_OPT_END,
};

static int folder; /* all names are looked up from here */

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* One request is served at a time, as one disk does it. */
static void take_time(size_t bytes) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static long long free_at_ns;
    pthread_mutex_lock(&mutex);
    long long begin_ns = now_ns();
    if (begin_ns < free_at_ns) begin_ns = free_at_ns;
    free_at_ns = begin_ns + (long long)settings.latency_ns + (long long)(1e9 * bytes / settings.rate_bytes_per_s);
    struct timespec until = {free_at_ns / 1000000000, free_at_ns % 1000000000};
    pthread_mutex_unlock(&mutex);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

/* Names begin with '/'; below the folder they must not. */
static const char* below(const char* path) { return path[1] ? path + 1 : "."; }

static int result(long returned) { return returned < 0 ? -errno : (int)returned; }

static int do_getattr(const char* path, struct stat* found, struct fuse_file_info* file) {
    return result(file ? fstat((int)file->fh, found) : fstatat(folder, below(path), found, AT_SYMLINK_NOFOLLOW));
}

static int do_open(const char* path, struct fuse_file_info* file) {
    const int opened = openat(folder, below(path), file->flags & ~(O_DIRECT | O_APPEND));
    file->fh = (uint64_t)opened;
    return opened < 0 ? -errno : 0;
}

static int do_create(const char* path, mode_t mode, struct fuse_file_info* file) {
    const int opened = openat(folder, below(path), (file->flags & ~(O_DIRECT | O_APPEND)) | O_CREAT, mode);
    file->fh = (uint64_t)opened;
    return opened < 0 ? -errno : 0;
}

static int do_read(const char* path, char* data, size_t bytes, off_t offset, struct fuse_file_info* file) {
    (void)path;
    take_time(bytes);
    return result(pread((int)file->fh, data, bytes, offset));
}

static int do_write(const char* path, const char* data, size_t bytes, off_t offset, struct fuse_file_info* file) {
    (void)path;
    take_time(bytes);
    return result(pwrite((int)file->fh, data, bytes, offset));
}

static int do_truncate(const char* path, off_t size, struct fuse_file_info* file) {
    if (file) return result(ftruncate((int)file->fh, size));
    const int opened = openat(folder, below(path), O_WRONLY);
    if (opened < 0) return -errno;
    const int returned = result(ftruncate(opened, size));
    close(opened);
    return returned;
}

static int do_fallocate(const char* path, int mode, off_t offset, off_t bytes, struct fuse_file_info* file) {
    (void)path;
    return result(fallocate((int)file->fh, mode, offset, bytes));
}

static int do_release(const char* path, struct fuse_file_info* file) {
    (void)path;
    return result(close((int)file->fh));
}

static int do_fsync(const char* path, int only_data, struct fuse_file_info* file) {
    (void)path, (void)only_data, (void)file;
    take_time(0); /* what was written is there */
    return 0;
}

static int do_readdir(const char* path, void* names, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info* file,
                      enum fuse_readdir_flags flags) {
    (void)offset, (void)file, (void)flags;
    const int opened = openat(folder, below(path), O_RDONLY | O_DIRECTORY);
    DIR* listed = opened < 0 ? NULL : fdopendir(opened);
    if (!listed) return -errno;
    for (struct dirent* entry; (entry = readdir(listed));) fill(names, entry->d_name, NULL, 0, 0);
    closedir(listed);
    return 0;
}

static int do_unlink(const char* path) { return result(unlinkat(folder, below(path), 0)); }
static int do_mkdir(const char* path, mode_t mode) { return result(mkdirat(folder, below(path), mode)); }
static int do_rmdir(const char* path) { return result(unlinkat(folder, below(path), AT_REMOVEDIR)); }
static int do_symlink(const char* to, const char* path) { return result(symlinkat(to, folder, below(path))); }
static int do_rename(const char* from, const char* to, unsigned flags) {
    return result(renameat2(folder, below(from), folder, below(to), flags));
}
static int do_link(const char* from, const char* to) {
    return result(linkat(folder, below(from), folder, below(to), 0));
}
static int do_chmod(const char* path, mode_t mode, struct fuse_file_info* file) {
    (void)file;
    return result(fchmodat(folder, below(path), mode, 0));
}
static int do_utimens(const char* path, const struct timespec times[2], struct fuse_file_info* file) {
    (void)file;
    return result(utimensat(folder, below(path), times, AT_SYMLINK_NOFOLLOW));
}
static int do_readlink(const char* path, char* to, size_t bytes) {
    const ssize_t length = readlinkat(folder, below(path), to, bytes - 1);
    if (length < 0) return -errno;
    to[length] = '\0';
    return 0;
}
static int do_statfs(const char* path, struct statvfs* found) {
    (void)path;
    return result(fstatvfs(folder, found));
}

static void* do_init(struct fuse_conn_info* connection, struct fuse_config* config) {
    connection->max_write = 1 << 20; /* a file server's usual wsize */
    config->direct_io = 1;
    config->hard_remove = 1; /* a deleted file is gone, as its program believes */
    return NULL;
}

int main(int count, char** words) {
    struct fuse_args arguments = FUSE_ARGS_INIT(count, words);
    if (fuse_opt_parse(&arguments, &settings, OPTIONS, NULL) != 0) return 2;
    if (!settings.source || !settings.rate_bytes_per_s) {
        fprintf(stderr, "uncached: -o source=FOLDER,rate=BYTES_PER_S is needed\n");
        return 2;
    }
    folder = open(settings.source, O_RDONLY | O_DIRECTORY);
    if (folder < 0) {
        perror(settings.source);
        return 1;
    }
    static const struct fuse_operations OPERATIONS = {
        .init = do_init,
        .getattr = do_getattr,
        .open = do_open,
        .create = do_create,
        .read = do_read,
        .write = do_write,
        .truncate = do_truncate,
        .fallocate = do_fallocate,
        .release = do_release,
        .fsync = do_fsync,
        .readdir = do_readdir,
        .unlink = do_unlink,
        .mkdir = do_mkdir,
        .rmdir = do_rmdir,
        .symlink = do_symlink,
        .rename = do_rename,
        .link = do_link,
        .chmod = do_chmod,
        .utimens = do_utimens,
        .readlink = do_readlink,
        .statfs = do_statfs,
    };
    const int status = fuse_main(arguments.argc, arguments.argv, &OPERATIONS, NULL);
    fuse_opt_free_args(&arguments);
    return status;
}
