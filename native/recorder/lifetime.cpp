#include "recorder/lifetime.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/hash.hpp"
#include "base/host.hpp"
#include "base/process_stat.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"
#include "preload/before_main.hpp"
#include "preload/fault_finders.hpp"
#include "preload/last_thread.hpp"
#include "preload/standard_error.hpp"
#include "preload/thread_stack.hpp"
#include "recorder/children.hpp"
#include "recorder/clock.hpp"
#include "recorder/host/host.hpp"
#include "recorder/jumps.hpp"
#include "recorder/launch.hpp"
#include "recorder/process.hpp"
#include "recorder/programs.hpp"
#include "recorder/readings.hpp"
#include "recorder/sampler.hpp"
#include "recorder/sockets/sockets.hpp"
#include "recorder/thread.hpp"
#include "recorder/tick_rate.hpp"
#include "recorder/timeline.hpp"
#include "recorder_doors.hpp"
#include "run_record/run_file.hpp"

namespace clearway::recorder {
namespace {

std::uint32_t number_from(const char* name, std::uint32_t otherwise) {
    const char* text = std::getenv(name);
    if (text == nullptr || *text == '\0') return otherwise;
    return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

// In a batch script that is watched anyway a person may name a folder for clearway-record, which is then asked itself.
bool is_another_folder() {
    return std::getenv("CLEARWAY_EVERY_JOB") != nullptr &&
           std::strncmp(job_name(), "slurm-", std::strlen("slurm-")) != 0;
}

// False when Clearway was not asked for: the library is loaded, and does nothing.
bool read_settings() {
    const char* directory = run_directory();
    if (directory == nullptr || is_another_folder()) return false;
    Settings& settings = process.settings;
    copy_text(settings.directory, directory);
    copy_text(settings.job, job_name());
    settings.sample_ms = number_from("CLEARWAY_SAMPLE_MS", 100);
    settings.asks_hosts = number_from("CLEARWAY_ASK_HOSTS", 1) != 0;
    settings.profiles = number_from("CLEARWAY_PROFILE", 1) != 0;
    settings.timeline = number_from("CLEARWAY_TIMELINE", 0);
    return true;
}

// Field 22 of /proc/self/stat, in clock ticks since boot (proc(5)); CLOCK_MONOTONIC does not count suspends,
// which a compute node does not do.
std::uint64_t process_start_monotonic_ns() {
    char text[1024];
    read_small_file("/proc/self/stat", text, sizeof text);
    const std::uint64_t clock_ticks = stat_number(text, 22);
    if (clock_ticks == 0) return 0;
    const auto boot_ns = clock_ticks * (1'000'000'000U / static_cast<unsigned>(sysconf(_SC_CLK_TCK)));
    const std::uint64_t running_ns = clock_ns(CLOCK_MONOTONIC);  // read first: the difference is never negative
    const std::uint64_t suspended_ns = clock_ns(CLOCK_BOOTTIME) - running_ns;
    return boot_ns > suspended_ns ? boot_ns - suspended_ns : 0;
}

// The first process of this job on this host gets it. The job is part of the name, so that an earlier job's file in
// a directory used again is not taken for this one's. Of a process that executed another program, as `sh -c` does with
// its last command, only that one can go on with it. It begins anew: it may see other mounts (a container's /dev/shm).
void create_host_file(const char* host, bool executed) {
    std::uint64_t job = 0;
    for (const char* c = process.settings.job; *c != '\0'; ++c) job = mix(job ^ static_cast<unsigned char>(*c));
    char id[16];
    std::snprintf(id, sizeof id, "%08x", static_cast<unsigned>(job));
    const char* directory = process.settings.directory;
    if (create_run_file(process.host_file, FileKind::host, directory, host, id) == EEXIST && executed &&
        remove_of_earlier_program(FileKind::host, directory, host, id, process_start_monotonic_ns()))
        create_run_file(process.host_file, FileKind::host, directory, host, id);
}

void describe_files(const Instant& start, const char* host) {
    char boot_id[64];
    read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    const Origin origin{.host = host,
                        .job = process.settings.job,
                        .boot_id = boot_id,
                        .start = start,
                        .process_start_monotonic_ns = process_start_monotonic_ns(),
                        .event_window_ms = kEventWindow_ms};
    begin_header(*process.file.header(), origin);
    if (process.host_file.is_open()) begin_header(*process.host_file.header(), origin);
}

// A child that pthread_atfork has not heard of (_Fork, clone) has its parent's record before it, on kernels that cannot
// wipe its page.
bool is_own_record() { return process.file.header()->pid == getpid(); }

void complete_record(int exit_code) {
    ThreadState& state = thread_state;
    const InRecorder inside(state);
    sample_sockets_now();
    sample_process(Names::kAll);
    if (process.host_file.is_open()) sample_host();
    if (is_main(state)) settle_now(state, now_ticks());
    read_last();
    heartbeat();
    FileHeader* header = process.file.header();
    header->exit_code = exit_code;
    header->state = State::exited;
    if (process.host_file.is_open()) process.host_file.header()->state = State::exited;
    recording = false;
}

void at_exit(int status, void*) {
    if (!recording || !is_own_record()) return;
    stop_sampler();
    complete_record(status & 0xff);  // of what exit was given, all that anybody learns: exit(3)
}

void in_forked_child() {
    recording = false;
    process.file.abandon();
    process.host_file.abandon();
}

bool linked_with_mpi() { return dlsym(RTLD_NEXT, "PMPI_Init") != nullptr; }

[[gnu::constructor]] void on_load() {
    const BeforeMain before_main;
    look_for_standard_error();
    find_real_functions();
    find_own_library();
    if (!read_settings()) return begin_launch();
    if (std::getenv("CLEARWAY_EVERY_JOB") != nullptr) watch_children(process.settings.directory);
    watch_main_thread();
    measure_thread_storage();
    if (linked_with_mpi() || number_from("CLEARWAY_ALWAYS", 0) != 0) begin_recording();
}

}  // namespace

void begin_recording() {
    static bool begun = false;
    if (begun || process.settings.directory[0] == '\0') return;
    begun = true;
    const InRecorder inside;
    if (const char* why = watched_for_faults(); why != nullptr) return warn_once(why, 0);
    choose_clock();
    const Instant start = now();
    char host[64];
    safe_host_name(host);
    int programs = 0;
    const int error = create_own_file(process.file, FileKind::rank, process.settings.directory, host, &programs);
    if (error != 0) {
        // Ranks that mpirun starts without Slurm on other hosts have no folder there: nobody asked, nobody is told.
        if (error == ENOENT && std::getenv("CLEARWAY_EVERY_JOB") != nullptr) return;
        char message[4200];
        std::snprintf(message, sizeof message, "cannot record into %s", process.settings.directory);
        warn_once(message, error);
    } else {
        create_host_file(host, programs > 1);
        describe_files(start, host);
        checkpoint_interval_ticks = to_ticks(kCheckpoint_ns);
        begin_timeline(process.settings.timeline);
        wipe_in_forked_children(&recording_page, sizeof recording_page);
        pthread_atfork(nullptr, nullptr, in_forked_child);
        on_exit(at_exit, nullptr);
        recording = true;
        this_thread();  // from here on it is known what the thread does: what is asked of the host may take long
        find_jumps();
        add_fact("clock.ticks", counter_is_steady ? "counter" : "CLOCK_MONOTONIC");
        describe_process();
        if (process.host_file.is_open()) describe_host();
        start_sampler();
    }
}

void end_recording(const char* why) {
    if (!recording || !is_own_record()) return;
    const int saved_errno = errno;
    add_fact("process.recorded_until", why);
    pause_sampler();
    complete_record(0);
    errno = saved_errno;
}

}  // namespace clearway::recorder
