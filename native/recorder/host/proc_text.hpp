// Reading the small text files of /proc: raw system calls, no allocation, nothing of it recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clearway::recorder {

// Fills `text` with the start of a file, NUL-terminated. False (and an empty text) where it cannot be read.
bool read_text(const char* path, char* text, std::size_t size);

// The same without what follows the first line's end, for files of one value.
bool read_line(const char* path, char* text, std::size_t size);

// The number after `label` in `text`: number_after(meminfo, "MemTotal:"). False where the label is missing.
bool number_after(const char* text, const char* label, std::uint64_t& number);

// Calls `visit(line)` for each line, cut into NUL-terminated pieces in place.
template <class Visit>
void for_each_line(char* text, Visit visit) {
    while (*text != '\0') {
        char* end = std::strchr(text, '\n');
        if (end != nullptr) *end = '\0';
        visit(text);
        if (end == nullptr) return;
        text = end + 1;
    }
}

}  // namespace clearway::recorder
