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

#define CLEARWAY_SETTING_DOOR(name, ...) \
    CLEARWAY_DOOR_AFTER(name, write_back_before(Event::changes_attributes, __VA_ARGS__))

// What flags of *at calls say of the name.
static int how_named(int flags) { return flags & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH); }

CLEARWAY_SETTING_DOOR(chmod, AT_FDCWD, path)
CLEARWAY_SETTING_DOOR(fchmod, fd)
CLEARWAY_SETTING_DOOR(fchmodat, directory, path, how_named(flags))
CLEARWAY_SETTING_DOOR(chown, AT_FDCWD, path)
CLEARWAY_SETTING_DOOR(lchown, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
CLEARWAY_SETTING_DOOR(fchown, fd)
CLEARWAY_SETTING_DOOR(fchownat, directory, path, how_named(flags))

CLEARWAY_SETTING_DOOR(utime, AT_FDCWD, path)
CLEARWAY_SETTING_DOOR(utimes, AT_FDCWD, path)
CLEARWAY_SETTING_DOOR(lutimes, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
CLEARWAY_SETTING_DOOR(futimes, fd)
CLEARWAY_SETTING_DOOR(futimesat, directory, path)
CLEARWAY_SETTING_DOOR(futimens, fd)
CLEARWAY_SETTING_DOOR(utimensat, directory, path, how_named(flags))

CLEARWAY_SETTING_DOOR(setxattr, AT_FDCWD, path)
CLEARWAY_SETTING_DOOR(lsetxattr, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
CLEARWAY_SETTING_DOOR(fsetxattr, fd)

CLEARWAY_DOOR_AFTER(ftw, write_back_each_before(Event::is_walked))
CLEARWAY_DOOR_AFTER(nftw, write_back_each_before(Event::is_walked))
CLEARWAY_DOOR_AFTER(fts_read, write_back_each_before(Event::is_walked))
CLEARWAY_DOOR_AFTER(fts_children, write_back_each_before(Event::is_walked))
CLEARWAY_DOOR_AFTER(fts64_read, write_back_each_before(Event::is_walked))
CLEARWAY_DOOR_AFTER(fts64_children, write_back_each_before(Event::is_walked))
