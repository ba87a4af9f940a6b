// Doors that set what the file system knows of a file beside its bytes: owner, mode, times, extended attributes. What
// the program wrote before comes before them: our own writes would move the times, and take set-user-ID away. And those
// that ask for the attributes of many files below libc's names.
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <utime.h>

#include "io_cache/doors/door.hpp"
#include "io_cache/files/write_back.hpp"

using namespace clearway;
using namespace clearway::io_cache;

#define IO_UNWRAP(...) __VA_ARGS__
#define IO_EVENT_DOOR(result, name, parameters, arguments, event) \
    IO_DOOR(result, name, IO_UNWRAP parameters) {                 \
        static constinit Real<result parameters> real{#name};     \
        event;                                                    \
        return real arguments;                                    \
    }
#define IO_SETTING_DOOR(name, parameters, arguments, ...) \
    IO_EVENT_DOOR(int, name, parameters, arguments, write_back_before(Event::changes_attributes, __VA_ARGS__))

// What flags of *at calls say of the name.
static int how_named(int flags) { return flags & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH); }

IO_SETTING_DOOR(chmod, (const char* path, mode_t mode), (path, mode), AT_FDCWD, path)
IO_SETTING_DOOR(fchmod, (int fd, mode_t mode), (fd, mode), fd)
IO_SETTING_DOOR(fchmodat, (int directory, const char* path, mode_t mode, int flags), (directory, path, mode, flags),
                directory, path, how_named(flags))
IO_SETTING_DOOR(chown, (const char* path, uid_t user, gid_t group), (path, user, group), AT_FDCWD, path)
IO_SETTING_DOOR(lchown, (const char* path, uid_t user, gid_t group), (path, user, group), AT_FDCWD, path,
                AT_SYMLINK_NOFOLLOW)
IO_SETTING_DOOR(fchown, (int fd, uid_t user, gid_t group), (fd, user, group), fd)
IO_SETTING_DOOR(fchownat, (int directory, const char* path, uid_t user, gid_t group, int flags),
                (directory, path, user, group, flags), directory, path, how_named(flags))

IO_SETTING_DOOR(utime, (const char* path, const utimbuf* times), (path, times), AT_FDCWD, path)
IO_SETTING_DOOR(utimes, (const char* path, const timeval* times), (path, times), AT_FDCWD, path)
IO_SETTING_DOOR(lutimes, (const char* path, const timeval* times), (path, times), AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
IO_SETTING_DOOR(futimes, (int fd, const timeval* times), (fd, times), fd)
IO_SETTING_DOOR(futimesat, (int directory, const char* path, const timeval* times), (directory, path, times), directory,
                path)
IO_SETTING_DOOR(futimens, (int fd, const timespec* times), (fd, times), fd)
IO_SETTING_DOOR(utimensat, (int directory, const char* path, const timespec* times, int flags),
                (directory, path, times, flags), directory, path, how_named(flags))

IO_SETTING_DOOR(setxattr, (const char* path, const char* name, const void* value, std::size_t bytes, int flags),
                (path, name, value, bytes, flags), AT_FDCWD, path)
IO_SETTING_DOOR(lsetxattr, (const char* path, const char* name, const void* value, std::size_t bytes, int flags),
                (path, name, value, bytes, flags), AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
IO_SETTING_DOOR(fsetxattr, (int fd, const char* name, const void* value, std::size_t bytes, int flags),
                (fd, name, value, bytes, flags), fd)

IO_EVENT_DOOR(int, ftw, (const char* path, __ftw_func_t visit, int descriptors), (path, visit, descriptors),
              write_back_each_before(Event::is_walked))
IO_SAME_DOOR(ftw64, ftw);
IO_EVENT_DOOR(int, nftw, (const char* path, __nftw_func_t visit, int descriptors, int flags),
              (path, visit, descriptors, flags), write_back_each_before(Event::is_walked))
IO_SAME_DOOR(nftw64, nftw);
IO_EVENT_DOOR(FTSENT*, fts_read, (FTS * walk), (walk), write_back_each_before(Event::is_walked))
IO_EVENT_DOOR(FTSENT*, fts_children, (FTS * walk, int options), (walk, options),
              write_back_each_before(Event::is_walked))
IO_EVENT_DOOR(FTSENT*, fts64_read, (FTS * walk), (walk), write_back_each_before(Event::is_walked))
IO_EVENT_DOOR(FTSENT*, fts64_children, (FTS * walk, int options), (walk, options),
              write_back_each_before(Event::is_walked))
