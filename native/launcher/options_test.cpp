// Where the options of clearway-record end and the program begins.
#include "launcher/options.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clearway::launcher {
namespace {

struct CommandLine {
    explicit CommandLine(std::vector<std::string> given) : words(std::move(given)) {
        words.insert(words.begin(), "clearway-record");
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        ::testing::internal::CaptureStderr();
        ::testing::internal::CaptureStdout();
        parsed = parse_options(arguments.data(), options);
        printed = ::testing::internal::GetCapturedStdout();
        said = ::testing::internal::GetCapturedStderr();
    }

    // The program with its arguments, separated by blanks.
    std::string program() const {
        std::string all;
        for (char** word = options.program; word != nullptr && *word != nullptr; ++word)
            all += (all.empty() ? "" : " ") + std::string(*word);
        return all;
    }

    std::vector<std::string> words;
    std::vector<char*> arguments;
    Options options;
    Parsed parsed;
    std::string printed, said;
};

TEST(Options, EndWhereTheProgramBegins) {
    for (const std::vector<std::string>& before : std::vector<std::vector<std::string>>{
             {}, {"--"}, {"--always"}, {"-o", "dir"}, {"-odir"}, {"--flow"}, {"--timeline"}, {"--timeline=7", "--"}}) {
        std::vector<std::string> words = before;
        words.insert(words.end(), {"gmx_mpi", "mdrun", "-o", "traj", "--help", "--"});
        const CommandLine line(words);
        EXPECT_EQ(line.parsed, Parsed::run) << line.said;
        EXPECT_EQ(line.program(), "gmx_mpi mdrun -o traj --help --");
    }
    EXPECT_EQ(CommandLine({"--", "-odd-name", "x"}).program(), "-odd-name x");
}

TEST(Options, TakeTheirValuesInEachForm) {
    for (const std::vector<std::string>& form :
         std::vector<std::vector<std::string>>{{"--output", "-x"}, {"--output=-x"}, {"-o", "-x"}, {"-o-x"}}) {
        std::vector<std::string> words = form;
        words.push_back("md");
        const CommandLine line(words);
        EXPECT_EQ(line.parsed, Parsed::run);
        EXPECT_STREQ(line.options.directory, "-x");
    }
    const CommandLine all({"--job=j", "--sample-ms", "20", "--timeline=9", "--flow=t.json", "--flow-algorithm", "own",
                           "--io-cache", "64Mi/rank", "--io-cache-files=*.scr", "--always", "md"});
    EXPECT_EQ(all.parsed, Parsed::run) << all.said;
    EXPECT_STREQ(all.options.job, "j");
    EXPECT_EQ(all.options.sample_ms, 20U);
    EXPECT_EQ(all.options.timeline, 9U);
    EXPECT_TRUE(all.options.flow && all.options.always);
    EXPECT_STREQ(all.options.flow_table, "t.json");
    EXPECT_STREQ(all.options.flow_algorithm, "own");
    EXPECT_STREQ(all.options.io_cache, "64Mi/rank");
    EXPECT_STREQ(all.options.io_cache_files, "*.scr");
    EXPECT_EQ(CommandLine({"--timeline", "9"}).options.timeline, kTimelineRecords) << "9 is the program";
}

TEST(Options, SayWhatIsWrongWithThem) {
    const struct {
        std::vector<std::string> words;
        const char* said;
    } cases[] = {
        {{}, "no program given: 'clearway-record'"},
        {{"--always", "--"}, "no program given: 'clearway-record'"},
        {{"--colour", "md"}, "unknown option: '--colour'"},
        {{"--outputs=x", "md"}, "unknown option: '--outputs=x'"},
        {{"--output"}, "option needs a value: '--output'"},
        {{"-o"}, "option needs a value: '-o'"},
        {{"--flow=", "md"}, "option needs a value: '--flow='"},
        {{"--sample-ms", "0", "md"}, "not a number of milliseconds: '0'"},
        {{"--sample-ms=5x", "md"}, "not a number of milliseconds: '5x'"},
        {{"--sample-ms=99999999999", "md"}, "not a number of milliseconds: '99999999999'"},
        {{"--timeline=", "md"}, "not a number of records: '--timeline='"},
        {{"--io-cache=much", "md"}, "not a size for the I/O cache: 'much'"},
    };
    for (const auto& each : cases) {
        const CommandLine line(each.words);
        EXPECT_EQ(line.parsed, Parsed::wrong) << each.said;
        EXPECT_TRUE(line.said.starts_with("clearway-record: " + std::string(each.said) + "\n\nhint: ")) << line.said;
        EXPECT_EQ(line.printed, "");
    }
}

TEST(Options, OfHelpAndVersionPrintAndEnd) {
    for (const char* word : {"-h", "--help", "-V", "--version"}) {
        const CommandLine line({"--always", word, "--colour"});
        EXPECT_EQ(line.parsed, Parsed::done);
        EXPECT_NE(line.printed, "");
        EXPECT_EQ(line.said, "");
    }
}

}  // namespace
}  // namespace clearway::launcher
