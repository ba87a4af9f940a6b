#include "command_line/options.hpp"

#include <algorithm>
#include <cstdio>

#include "command_line/visible.hpp"

namespace clearway::command_line {

namespace {

void print_option(const Option& option, std::size_t column) {
    std::string line = "  " + std::string(option.name);
    if (!option.value.empty()) line.append(" ").append(option.value);
    line.resize(std::max(column, line.size() + 1), ' ');
    for (const char c : option.meaning) {
        line += c;
        if (c == '\n') line.append(column, ' ');
    }
    std::puts(line.c_str());
}

Parsed print_help(const Program& program) {
    std::fwrite(program.head.data(), 1, program.head.size(), stdout);
    const auto column = static_cast<std::size_t>(program.column);
    for (const Option& option : program.options) print_option(option, column);
    print_option({"-h, --help", "", "print this", {}}, column);
    print_option({"-V, --version", "", "print the version", {}}, column);
    return Parsed::done;
}

}  // namespace

// Not by +, in which GCC 12 sees an overlap (-Wrestrict).
std::string quoted(std::string_view text) { return std::string("'").append(visible(text)).append("'"); }

Parsed complain(const Program& program, const std::string& what) {
    const auto width = [](std::string_view text) { return static_cast<int>(text.size()); };
    std::fprintf(stderr, "%.*s: %s\n\nhint: %.*s --help\n", width(program.complains_as), program.complains_as.data(),
                 what.c_str(), width(program.name), program.name.data());
    return Parsed::wrong;
}

Parsed parse(char** arguments, const Program& program) {
    for (char** argument = arguments + 1; *argument != nullptr; ++argument) {
        const std::string_view word = *argument;
        if (word == "-h" || word == "--help") return print_help(program);
        if (word == "-V" || word == "--version")
            return std::puts((std::string(program.name) + " " CLEARWAY_VERSION).c_str()), Parsed::done;
        const auto option = std::ranges::find(program.options, word, &Option::name);
        if (option == program.options.end()) {
            if (word.starts_with('-') || !program.take_word) return complain(program, "unknown option " + quoted(word));
            if (const std::string fault = program.take_word(word); !fault.empty()) return complain(program, fault);
            continue;
        }
        if (!option->value.empty() && *++argument == nullptr)
            return complain(program, std::string(word) + " needs a value");
        const std::string_view value = option->value.empty() ? std::string_view() : *argument;
        if (!option->take(value))
            return complain(program, quoted(value) + " is not a valid value for " + std::string(word));
    }
    return Parsed::run;
}

Take text(std::string& value) {
    return [&value](std::string_view given) { return value = given, true; };
}

Take flag(bool& value) {
    return [&value](std::string_view) { return value = true; };
}

}  // namespace clearway::command_line
