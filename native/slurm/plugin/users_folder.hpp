// The folder in which a user's Runs are kept.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace clearway::slurm {

// Its path, as the site's settings say. False where nobody knows the user's home, or the path is too long.
bool find_folder(uid_t user, char* path, std::size_t capacity);

// Whether this process may write there, or to the nearest folder that there is, if it is still to be made.
bool may_be_made(const char* path);

}  // namespace clearway::slurm
