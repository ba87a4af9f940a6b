// What each program leaves to the one reader of command lines, and to the one printer of JSON.
#include <gtest/gtest.h>

#include <cstdlib>

#include "command_line/json.hpp"
#include "command_line/options.hpp"
#include "command_line/visible.hpp"

namespace clearway::command_line {
namespace {

struct Values {
    std::uint32_t calls = 7;
    std::vector<std::uint32_t> hosts;
    std::string name;
    bool is_loud = false;
    std::vector<std::string> words;
};

Program program_of(Values& values) {
    return {"clearway-sing",
            "error",
            "usage: clearway-sing\n\n",
            14,
            {{"--calls", "N", "how many\n(default 7)", number(values.calls, 1U, 9U)},
             {"--hosts", "H,H,...", "where", numbers(values.hosts)},
             {"--name", "TEXT", "of the song", text(values.name)},
             {"--loud", "", "or not", flag(values.is_loud)}},
            [&values](std::string_view word) {
                values.words.emplace_back(word);
                return values.words.size() > 1 ? "one song at a time" : "";
            }};
}

Parsed parsed(std::vector<std::string> words, Values& values) {
    words.insert(words.begin(), "clearway-sing");
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return parse(arguments.data(), program_of(values));
}

std::string refused(const std::vector<std::string>& words) {
    Values values;
    testing::internal::CaptureStderr();
    EXPECT_EQ(parsed(words, values), Parsed::wrong);
    return testing::internal::GetCapturedStderr();
}

TEST(Options, SetWhatTheirNamesSay) {
    Values values;
    EXPECT_EQ(parsed({"--calls", "3", "alto", "--hosts", "0,0,12", "--name", "--loud"}, values), Parsed::run);
    EXPECT_EQ(values.calls, 3U);
    EXPECT_EQ(values.hosts, (std::vector<std::uint32_t>{0, 0, 12}));
    EXPECT_EQ(values.name, "--loud") << "whatever follows an option is its value";
    EXPECT_FALSE(values.is_loud);
    EXPECT_EQ(values.words, std::vector<std::string>{"alto"});
}

TEST(Visible, IsWhatATerminalWouldObey) {
    EXPECT_EQ(visible("grüße, 水 🙂 '\"<"), "grüße, 水 🙂 '\"<");
    EXPECT_EQ(visible("a\x1b[31m\n\t\x7f"), "a\\x1b[31m\\x0a\\x09\\x7f");
    EXPECT_EQ(visible("\xe2\x80\xaeRTL"), "\\xe2\\x80\\xaeRTL") << "the rest of the line would be read from its end";
    EXPECT_EQ(visible("\xc2\x9b"), "\\xc2\\x9b") << "as ESC [ to some terminals";
    EXPECT_EQ(visible("\xff\xc3"), "\\xff\\xc3");
    EXPECT_TRUE(refused({"--calls", "\x1b[2J"}).starts_with("error: '\\x1b[2J' is not"));
}

TEST(Options, AreRefusedInOneForm) {
    EXPECT_EQ(refused({"--colour"}), "error: unknown option '--colour'\n\nhint: clearway-sing --help\n");
    EXPECT_EQ(refused({"--calls"}), "error: --calls needs a value\n\nhint: clearway-sing --help\n");
    EXPECT_EQ(refused({"a", "b"}), "error: one song at a time\n\nhint: clearway-sing --help\n");
    for (const char* wrong : {"", "0", "10", "3x", "-1", " 3", "99999999999999999999"})
        EXPECT_TRUE(
            refused({"--calls", wrong}).starts_with("error: '" + std::string(wrong) + "' is not a valid value for"));
    for (const char* wrong : {"", ",", "1,", "1,,2", "1,-2", "1,99999999999"})
        EXPECT_TRUE(
            refused({"--hosts", wrong}).starts_with("error: '" + std::string(wrong) + "' is not a valid value for"));
}

TEST(Options, AreTheHelp) {
    Values values;
    testing::internal::CaptureStdout();
    EXPECT_EQ(parsed({"--loud", "--help", "--colour"}, values), Parsed::done);
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "usage: clearway-sing\n\n"
              "  --calls N   how many\n"
              "              (default 7)\n"
              "  --hosts H,H,... where\n"
              "  --name TEXT of the song\n"
              "  --loud      or not\n"
              "  -h, --help  print this\n"
              "  -V, --version print the version\n");
}

TEST(Json, SeparatesNestsAndEscapes) {
    char* memory = nullptr;
    std::size_t size = 0;
    std::FILE* out = open_memstream(&memory, &size);
    Json json(out);
    json.object([&] {
        json.member("text", "a \"b\"\\\n\x01 ü");
        json.member("least", std::int64_t{-5});
        json.member("most", ~std::uint64_t{0});
        json.members("none", std::vector<int>{});
        json.key("list");
        json.list([&] {
            json.value(true);
            json.object([] {});
            json.list([&] { json.value(1U); });
        });
        json.member("end", false);
    });
    json.end_line();
    json.list([] {});
    std::fclose(out);
    EXPECT_EQ(std::string(memory),
              "{\"text\":\"a \\\"b\\\"\\\\\\u000a\\u0001 ü\",\"least\":-5,\"most\":18446744073709551615,\"none\":[],"
              "\"list\":[true,{},[1]],\"end\":false}\n[]");
    std::free(memory);
}

}  // namespace
}  // namespace clearway::command_line
