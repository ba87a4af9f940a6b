// Whether two nodes see the same folder under a path, told without writing anything.
#pragma once

#include <cstddef>

namespace clearway::slurm {

// What tells `path` from other folders, or if it is still to be made, the nearest one around it: for another node to
// compare. False where nothing does: FUSE gives numbers as it likes.
bool describe_folder(const char* path, char* text, std::size_t capacity);

// Whether this node has another folder, or none, where `text` was taken.
bool is_another_folder(const char* text);

}  // namespace clearway::slurm
