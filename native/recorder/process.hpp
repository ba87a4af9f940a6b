// What this process records into, and for how long. All sources (mpi/, io/, sockets/, host/) meet here.
#pragma once

#include <cstdint>

#include "base/own_page.hpp"
#include "run_record/layout.hpp"
#include "run_record/record_file.hpp"

namespace clearway::recorder {

struct Settings {
    char directory[3584];     // CLEARWAY_DIR, absolute
    char job[64];             // CLEARWAY_JOB
    std::uint32_t sample_ms;  // CLEARWAY_SAMPLE_MS, default 100
    bool asks_hosts;          // CLEARWAY_ASK_HOSTS, default true: whether packets reach them, see sockets/echo.hpp
    bool profiles;            // CLEARWAY_PROFILE, default true: see profile/profile.hpp
    std::uint32_t timeline;   // CLEARWAY_TIMELINE: records in the ring, 0: none
};

inline constexpr std::uint32_t kMostThreadUses = 960, kMostTeamCells = 1024, kMostCodeSamples = 8128;

struct Process {
    Settings settings{};
    RecordFile file;
    RecordFile host_file;  // open in the first process of each host only
    Table<FunctionName> functions{SegmentKind::functions, 64, 512};
    Table<ThreadCell> threads{SegmentKind::threads, 42, 1024};
    Table<CommCell> comms{SegmentKind::comms, 64, 2048};
    Table<FileCell> files{SegmentKind::files, 32, 4096};
    Table<OutputCell> outputs{SegmentKind::outputs, 8, 64};
    Table<LockCell> locks{SegmentKind::locks, 8, 128};
    Table<SocketCell> sockets{SegmentKind::sockets, 16, 8192};
    Table<StallRecord> stalls{SegmentKind::stalls, 128, 32768};
    Table<ActivityCell> activities{SegmentKind::activities, 21, 147};
    Table<ThreadUse> thread_uses{SegmentKind::thread_uses, 30, kMostThreadUses};
    Table<ConcurrencyCell> concurrency{SegmentKind::concurrency, 12, 12};
    Table<CoreCell> cores{SegmentKind::cores, 256, 1024};
    Table<CodeRange> code_ranges{SegmentKind::code_ranges, 16, 496};
    Table<CodeSample> code_samples{SegmentKind::code_samples, 128, kMostCodeSamples};
    Table<TeamCell> teams{SegmentKind::teams, 32, kMostTeamCells};
    Table<MpiFileCell> mpi_files{SegmentKind::mpi_files, 9, 576};
    Table<Fact> facts{SegmentKind::facts, 32, 512};
    Table<Counter> counters{SegmentKind::counters, 51, 2048};
    Table<Fact> host_facts{SegmentKind::facts, 64, 1024};
    Table<Counter> host_counters{SegmentKind::counters, 204, 8192};
};

// Hidden, like all that calls look at: a declaration does not take that from -fvisibility, and another library's would
// cost an instruction more at each look.
extern Process process [[gnu::visibility("hidden")]];

// True once the record file exists, until the end of the process (false for ever in forked children: a page of its own,
// which they find empty). The hooks' one test: nothing is recorded while it is false.
struct alignas(kOwnPage_bytes) RecordingPage {
    bool recording;
};
extern RecordingPage recording_page [[gnu::visibility("hidden")]];
inline constexpr bool& recording = recording_page.recording;

// Newest Instant into the header. Called by the sampler and at milestones.
void heartbeat();

// Writes `name` into the record under an id of its own, or a fresh one, for others to refer to.
inline constexpr std::uint16_t kFirstDynamicFunction = 1024;  // below: the ids of the MPI wrappers
std::uint16_t name_function(const char* name, FunctionClass function_class);
void name_function(std::uint16_t id, const char* name, FunctionClass function_class);

void add_fact(const char* name, const char* text);
void add_host_fact(const char* name, const char* text);

// One line on stderr, once per process and message kind. Never stdout.
void warn_once(const char* message, int error);

}  // namespace clearway::recorder
