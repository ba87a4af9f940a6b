#include "units/units.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace clearway::units {
namespace {

std::string shown(std::optional<std::uint64_t> value) { return value ? std::to_string(*value) : ""; }

std::string shown_numbers(std::string_view text) {
    std::string list;
    const auto add = [&](std::uint64_t number) {
        if (!list.empty()) list += ',';
        list += std::to_string(number);
        return true;
    };
    return each_number(text, 100'000, add) ? list : "";
}

std::string parsed(std::string_view kind, std::string_view text) {
    if (kind == "bytes") return shown(parse_bytes(text));
    if (kind == "rate") return shown(parse_rate_bps(text));
    if (kind == "time") return shown(parse_time_ns(text));
    if (kind == "binary") return shown(bytes_as_binary(text));
    return kind == "numbers" ? shown_numbers(text) : "no such kind";
}

TEST(Units, AsInTheTableThatPythonReadsToo) {
    std::ifstream table(CLEARWAY_UNITS_EXAMPLES);
    int examples = 0;
    for (std::string line; std::getline(table, line);) {
        if (line.empty() || line[0] == '#') continue;
        const std::size_t blank = line.find(' '), equals = line.rfind(" =");
        ASSERT_NE(equals, std::string::npos) << line;
        const std::string text = equals > blank ? line.substr(blank + 1, equals - blank - 1) : "";
        const std::string value = equals + 3 < line.size() ? line.substr(equals + 3) : "";
        EXPECT_EQ(parsed(line.substr(0, blank), text), value) << line;
        ++examples;
    }
    EXPECT_GT(examples, 80) << CLEARWAY_UNITS_EXAMPLES;
}

TEST(Units, NumbersStopAtTheMostThatMayBe) {
    const auto take = [](std::uint64_t) { return true; };
    EXPECT_TRUE(each_number("0-7", 7, take));
    EXPECT_FALSE(each_number("0-8", 7, take));
    EXPECT_FALSE(each_number("0-999999999999999999", 7, take));
    EXPECT_FALSE(each_number("0-7", 7, [](std::uint64_t number) { return number < 5; }));
}

}  // namespace
}  // namespace clearway::units
