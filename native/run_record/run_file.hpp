// A file of a Run above its bytes (record_file.hpp): its name, its header, and elements that are alike in all files.
// The recorder, --flow, the I/O cache, the simulator and the tests' synthesiser write theirs through here.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "run_record/layout.hpp"
#include "run_record/record_file.hpp"

namespace clearway {

// What the environment says to a process of the job.
const char* run_directory();  // CLEARWAY_DIR; null where it is not an absolute path: nothing is recorded
const char* job_name();       // CLEARWAY_JOB, or ""

// Creates DIRECTORY/<kind>.<host>.<id>.cwr, or without the id where that is "". Returns 0 or an errno.
int create_run_file(RecordFile& file, FileKind kind, const char* directory, const char* host, const char* id);

// The same for the calling process, whose pid is the id. A process that executes another program keeps its pid: that
// one gets <pid>.2, and so on: `number`.
int create_own_file(RecordFile& file, FileKind kind, const char* directory, const char* host, int* number = nullptr);

// Takes away DIRECTORY/<kind>.<host>.<id>.cwr if an earlier program of this very process wrote it, which has ended with
// the exec of this one. True: its name is free.
bool remove_of_earlier_program(FileKind kind, const char* directory, const char* host, const char* id,
                               std::uint64_t process_start_monotonic_ns);

// Whose file it is, and since when.
struct Origin {
    const char* host;
    const char* job;
    const char* boot_id = "";
    Instant start{};
    std::uint64_t process_start_monotonic_ns = 0;
    std::uint32_t event_window_ms = 0;  // 0: it has no events
};

// The header of a process that begins.
void begin_header(FileHeader& header, const Origin& origin);

// The header of a process that is over, where a whole Run is written at once.
struct Lifespan {
    Instant mpi_begin, mpi_end, end;
};
void write_header(FileHeader& header, const Origin& origin, const Lifespan& lifespan);

// Creates this process's file beside the recorder's, or without it, for elements that no clock places. False: nothing
// is recorded.
bool open_own_file(RecordFile& file, FileKind kind);

FunctionName function_of(std::uint16_t id, const char* name, FunctionClass function_class);
Fact fact_of(const char* name, const char* text);
Counter counter_of(const char* name, std::uint64_t first, std::uint64_t last);

// A segment with all elements at once. False: there is no room.
template <class Element>
bool write_segment(RecordFile& file, SegmentKind kind, std::span<const Element> elements) {
    if (elements.empty()) return true;
    SegmentEntry* entry = nullptr;
    const auto count = static_cast<std::uint32_t>(elements.size());
    void* room = file.add_segment(kind, sizeof(Element), count, 0, &entry);
    if (room == nullptr) return false;
    std::memcpy(room, elements.data(), elements.size_bytes());
    entry->count = count;
    return true;
}

}  // namespace clearway
