// clearway-io-replay: recorded accesses through one policy after another, at several sizes of the cache. For
// benchmarks; not installed.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "io_cache/replay/replay.hpp"

using namespace clearway::io_cache;

namespace {

constexpr char kUsage[] = "usage: clearway-io-replay TRACE RECORD_BYTES PERCENT,PERCENT... POLICY...\n";

bool number(const std::string& text, std::uint32_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value > 0;
}

int fail(const std::string& what) {
    std::fprintf(stderr, "error: %s\n\n%s", what.c_str(), kUsage);
    return 2;
}

}  // namespace

int main(int count, char** words) {
    if (count < 5) return fail("too few arguments");
    std::uint32_t record_bytes = 0;
    if (!number(words[2], record_bytes)) return fail("not a number of bytes: " + std::string(words[2]));
    Trace trace;
    if (const std::string wrong = read_trace(words[1], record_bytes, trace); !wrong.empty()) return fail(wrong);

    std::printf("percent\tframes\tpolicy\tuses\tfetched\twritten\n");
    std::string percents = words[3];
    for (char* word = std::strtok(percents.data(), ","); word != nullptr; word = std::strtok(nullptr, ",")) {
        std::uint32_t percent = 0;
        if (!number(word, percent)) return fail("not a percentage: " + std::string(word));
        const auto frames = static_cast<std::uint32_t>(
            std::max<std::uint64_t>(4, (std::uint64_t{trace.most_records} * percent + 99) / 100));
        for (int i = 4; i < count; ++i) {
            Outcome outcome;
            if (!replay(trace, words[i], frames, record_bytes, outcome))
                return fail("there is no policy '" + std::string(words[i]) + "'");
            std::printf("%u\t%u\t%s\t%lu\t%lu\t%lu\n", percent, frames, words[i], trace.uses, outcome.fetched,
                        outcome.written);
        }
    }
    return 0;
}
