#include "recorder/host/proc_text.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

namespace clearway::recorder {

bool read_text(const char* path, char* text, std::size_t size) {
    text[0] = '\0';
    const int fd = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0));
    if (fd < 0) return false;
    std::size_t used = 0;
    while (used < size - 1) {
        const long length = syscall(SYS_read, fd, text + used, size - 1 - used);
        if (length <= 0) break;
        used += static_cast<std::size_t>(length);
    }
    text[used] = '\0';
    syscall(SYS_close, fd);
    return used > 0;
}

bool read_line(const char* path, char* text, std::size_t size) {
    if (!read_text(path, text, size)) return false;
    text[std::strcspn(text, "\n")] = '\0';
    return text[0] != '\0';
}

bool number_after(const char* text, const char* label, std::uint64_t& number) {
    const char* at = std::strstr(text, label);
    if (at == nullptr) return false;
    char* end = nullptr;
    const char* digits = at + std::strlen(label);
    number = std::strtoull(digits, &end, 10);
    return end != digits;
}

}  // namespace clearway::recorder
