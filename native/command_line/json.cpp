#include "command_line/json.hpp"

#include <cinttypes>

namespace clearway::command_line {

void Json::separate() {
    if (!is_first_) std::fputc(',', out_);
    is_first_ = false;
}

void Json::put(std::string_view literal) {
    separate();
    std::fwrite(literal.data(), 1, literal.size(), out_);
}

void Json::open(char bracket) {
    separate();
    std::fputc(bracket, out_);
    is_first_ = true;
}

void Json::close(char bracket) {
    std::fputc(bracket, out_);
    is_first_ = false;
}

void Json::put_quoted(std::string_view text) {
    std::fputc('"', out_);
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20) {
            std::fprintf(out_, "\\u%04x", unsigned{code});
            continue;
        }
        if (c == '"' || c == '\\') std::fputc('\\', out_);
        std::fputc(c, out_);
    }
    std::fputc('"', out_);
}

void Json::key(std::string_view name) {
    separate();
    put_quoted(name);
    std::fputc(':', out_);
    is_first_ = true;
}

void Json::value(std::string_view text) {
    separate();
    put_quoted(text);
}

void Json::value_of(std::int64_t number, bool is_signed) {
    separate();
    if (is_signed)
        std::fprintf(out_, "%" PRId64, number);
    else
        std::fprintf(out_, "%" PRIu64, static_cast<std::uint64_t>(number));
}

void Json::end_line() {
    std::fputc('\n', out_);
    is_first_ = true;
}

}  // namespace clearway::command_line
