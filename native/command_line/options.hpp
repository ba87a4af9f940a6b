// The command lines of Clearway's programs: a table of options each, read here and printed as the program's help.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace clearway::command_line {

// What an option does with its value; false: that is no value for it.
using Take = std::function<bool(std::string_view)>;

struct Option {
    std::string_view name;
    std::string_view value;  // what stands for its value in the help; "": it takes none
    std::string meaning;     // lines of the help
    Take take;
};

struct Program {
    std::string_view name;
    std::string_view complains_as;  // before what is wrong: its name under a launcher, where many programs speak
    std::string_view head;          // of the help
    int column;                     // of the help, at which meanings begin
    std::vector<Option> options;
    std::function<std::string(std::string_view)> take_word;  // one that is no option; returns what is wrong with it
};

enum class Parsed : std::uint8_t { run, done, wrong };

// Says on stderr what is wrong. Done: the help or the version was asked for, and printed.
Parsed parse(char** arguments, const Program& program);

// The same complaint about what a program finds itself.
Parsed complain(const Program& program, const std::string& what);

std::string quoted(std::string_view text);

template <class Number>
bool to_number(std::string_view text, Number& number, Number least = std::numeric_limits<Number>::lowest(),
               Number most = std::numeric_limits<Number>::max()) {
    Number read{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || end != text.data() + text.size() || !(read >= least && read <= most)) return false;
    number = read;
    return true;
}

template <class Number>
Take number(Number& value, Number least = std::numeric_limits<Number>::lowest(),
            Number most = std::numeric_limits<Number>::max()) {
    return [&value, least, most](std::string_view text) { return to_number(text, value, least, most); };
}

// "1,2,3"
template <std::integral Number>
Take numbers(std::vector<Number>& values, Number least = 0, Number most = std::numeric_limits<Number>::max()) {
    return [&values, least, most](std::string_view text) {
        for (std::size_t comma = 0; comma != std::string_view::npos; text.remove_prefix(comma + 1)) {
            Number read{};
            comma = text.find(',');
            if (!to_number(text.substr(0, comma), read, least, most)) return false;
            values.push_back(read);
            if (comma == std::string_view::npos) break;
        }
        return true;
    };
}

Take text(std::string& value);
Take flag(bool& value);

// One of `values`, each of which has a name_of().
template <class Value, std::size_t count>
Take one_of(const Value (&values)[count], Value& value) {
    return [&values, &value](std::string_view text) {
        for (const Value each : values)
            if (name_of(each) == text) return value = each, true;
        return false;
    };
}

}  // namespace clearway::command_line
