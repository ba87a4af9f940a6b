#include "command_line/visible.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace clearway::command_line {

namespace {

// Of the UTF-8 sequence that `text` begins with, and its character; 0 where there is none.
std::size_t sequence(std::string_view text, std::uint32_t& character) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t bytes = first < 0x80   ? 1
                              : first < 0xC2 ? 0
                              : first < 0xE0 ? 2
                              : first < 0xF0 ? 3
                              : first < 0xF5 ? 4
                                             : 0;
    if (bytes == 0 || bytes > text.size()) return 0;
    character = bytes == 1 ? first : first & (0x7FU >> bytes);
    for (std::size_t at = 1; at < bytes; ++at) {
        const auto next = static_cast<unsigned char>(text[at]);
        if ((next & 0xC0U) != 0x80) return 0;
        character = character << 6U | (next & 0x3FU);
    }
    return bytes;
}

// Controls, and marks that change the direction of reading or have no width.
bool is_seen(std::uint32_t c) {
    return c >= 0x20 && (c < 0x7F || c > 0x9F) && (c < 0x200B || c > 0x200F) && (c < 0x2028 || c > 0x202E) &&
           (c < 0x2060 || c > 0x206F) && c != 0xFEFF;
}

}  // namespace

std::string visible(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        std::uint32_t character = 0;
        const std::size_t found = sequence(text, character);
        const std::size_t bytes = found == 0 ? 1 : found;
        if (found != 0 && is_seen(character)) {
            shown += text.substr(0, bytes);
        } else {
            for (const char byte : text.substr(0, bytes)) {
                char escaped[8];
                std::snprintf(escaped, sizeof escaped, "\\x%02x",
                              static_cast<unsigned>(static_cast<unsigned char>(byte)));
                shown += escaped;
            }
        }
        text.remove_prefix(bytes);
    }
    return shown;
}

}  // namespace clearway::command_line
