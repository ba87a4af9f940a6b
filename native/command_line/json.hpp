// JSON as Clearway's programs print it for those of Python: a value after another, on one line.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace clearway::command_line {

class Json {
public:
    explicit Json(std::FILE* out) : out_(out) {}

    // An object or a list of what `fill` writes meanwhile.
    template <class Fill>
    void object(Fill&& fill) {
        open('{');
        fill();
        close('}');
    }
    template <class Fill>
    void list(Fill&& fill) {
        open('[');
        fill();
        close(']');
    }

    void key(std::string_view name);
    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(bool yes) { put(yes ? "true" : "false"); }
    template <std::integral Number>
    void value(Number number) {
        value_of(static_cast<std::int64_t>(number), std::is_signed_v<Number>);
    }

    template <class Value>
    void member(std::string_view name, const Value& of) {
        key(name);
        value(of);
    }
    template <class Numbers>
    void members(std::string_view name, const Numbers& numbers) {
        key(name);
        list([&] {
            for (const auto& each : numbers) value(each);
        });
    }

    void end_line();

private:
    void open(char bracket);
    void close(char bracket);
    void separate();
    void put(std::string_view literal);
    void put_quoted(std::string_view text);
    void value_of(std::int64_t number, bool is_signed);

    std::FILE* out_;
    bool is_first_ = true;  // where it stands: of the line, or behind a bracket or a key
};

}  // namespace clearway::command_line
