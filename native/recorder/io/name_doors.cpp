// Doors that work on names: removing, renaming, linking, asking for a file's attributes.
#include <fcntl.h>
#include <sys/stat.h>

#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

File deleted(int directory, const char* path, int result) {
    const File file = result == 0 ? find_file_at(directory, path) : File{};
    if (file.cell != nullptr) set_flags(*file.cell, kFileDeleted);
    return file;
}

// A file with another name, or one more, keeps its cell, under the name it was opened by.
File renamed(int directory, const char* path, int result) {
    return result == 0 ? find_file_at(directory, path) : File{};
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_NAMING_DOOR(name, booked)                                                        \
    CLEARWAY_DOOR(name) {                                                                         \
        return operate_on_path<FileOperation::metadata>(                                          \
            real::name, [&] { return CLEARWAY_REAL(name); }, [&](int result) { return booked; }); \
    }

CLEARWAY_NAMING_DOOR(unlink, deleted(AT_FDCWD, path, result))
CLEARWAY_NAMING_DOOR(unlinkat, deleted(directory, path, result))
CLEARWAY_NAMING_DOOR(remove, deleted(AT_FDCWD, path, result))
CLEARWAY_NAMING_DOOR(rename, renamed(AT_FDCWD, from, result))
CLEARWAY_NAMING_DOOR(renameat, renamed(from_directory, from, result))
CLEARWAY_NAMING_DOOR(renameat2, renamed(from_directory, from, result))
CLEARWAY_NAMING_DOOR(link, renamed(AT_FDCWD, from, result))
CLEARWAY_NAMING_DOOR(linkat, renamed(from_directory, from, result))

CLEARWAY_ASKING_DOOR(stat)
CLEARWAY_ASKING_DOOR(lstat)
CLEARWAY_ASKING_DOOR(__xstat)
CLEARWAY_ASKING_DOOR(__lxstat)
CLEARWAY_ASKING_DOOR(fstatat)
CLEARWAY_ASKING_DOOR(__fxstatat)
CLEARWAY_ASKING_DOOR(statx)
CLEARWAY_ASKING_DOOR(access)
CLEARWAY_ASKING_DOOR(faccessat)
CLEARWAY_ASKING_DOOR(truncate)
CLEARWAY_ASKING_DOOR(mkdir)
CLEARWAY_ASKING_DOOR(rmdir)
CLEARWAY_OPERATION_DOOR(fstat, metadata)
CLEARWAY_OPERATION_DOOR(__fxstat, metadata)
