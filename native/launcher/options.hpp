// The command line of clearway-record.
#pragma once

#include <cstdint>

namespace clearway::launcher {

struct Options {
    const char* directory = nullptr;  // as given; null: chosen from the job
    const char* job = nullptr;        // as given; null: found in the launcher's environment
    std::uint32_t sample_ms = 100;
    std::uint32_t timeline = 0;  // records in the ring; 0: none
    bool always = false;
    bool flow = false;
    const char* flow_table = nullptr;      // as given; null: none
    const char* flow_algorithm = nullptr;  // likewise
    const char* io_cache = nullptr;        // a size as given; null: none
    const char* io_cache_files = nullptr;  // as given; null: where programs write scratch
    char** program = nullptr;              // the program and its arguments, null-terminated
};

inline constexpr std::uint32_t kTimelineRecords = 65536;  // 2 MB a rank

enum class Parsed { run, done, wrong };

// `done`: help or version was printed. `wrong`: said on stderr what is.
Parsed parse_options(char** arguments, Options& options);

}  // namespace clearway::launcher
