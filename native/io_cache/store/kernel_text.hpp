// What the kernel says in files of text, under /proc and /sys.
#pragma once

namespace clearway::io_cache {

struct KernelText {
    char bytes[8192] = "";
};

// By system calls: libc's open may be one of our own doors. 0, or an error number.
int read_kernel_text(const char* path, KernelText& text);

}  // namespace clearway::io_cache
