// The Run directory, which all ranks of a job make at the same time.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// An absolute path: `given`, or clearway-PROGRAM-JOB in the working directory. Returns 0 or an errno.
int choose_run_directory(const char* given, const char* program, const char* job, char* path, std::size_t capacity);

// Like `mkdir -p`; another rank making it first is fine. Returns 0 or an errno, also where it cannot be written to.
int make_run_directory(const char* path);

}  // namespace clearway::launcher
