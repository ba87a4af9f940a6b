// A step of a Slurm job, as its Run is called, and where that Run is kept. The plugin has this too, which is built on
// the site: no more than libc.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace clearway::slurm {

inline constexpr char kSpool[] = "/dev/shm/clearway";           // of each host: memory
inline constexpr char kFolder[] = "%h/.clearway/slurm";         // of each user: %h home, %u name
inline constexpr std::uint32_t kFirstSpecialStep = 0xfffffff0;  // the batch script and the like: no srun

struct Step {
    std::uint32_t job, step;
    std::uint32_t restarts = 0;               // Slurm gives a requeued job its number again
    std::uint32_t array = 0, array_task = 0;  // no array: 0
    bool batch = false;                       // the batch script itself
    std::uint32_t launch = 0;                 // the mpirun of the batch script that it belongs to, from 1; 0: none
};

struct StepName {
    char text[96];
};

inline constexpr char kBatch[] = ".batch", kLaunch[] = ".mpirun";

// 1234.0; when started again 1234.0-2; of an array's task 1237.0.1230_7. The second mpirun of a batch script:
// 1234.mpirun2. The script itself, which has a folder in the spool and no Run: 1234.batch, however often it started.
inline StepName name_of(const Step& step) {
    StepName name;
    int length = 0;
    if (step.launch > 0)
        length = std::snprintf(name.text, sizeof name.text, "%u%s%u", step.job, kLaunch, step.launch);
    else if (step.batch)
        length = std::snprintf(name.text, sizeof name.text, "%u%s", step.job, kBatch);
    else
        length = std::snprintf(name.text, sizeof name.text, "%u.%u", step.job, step.step);
    if (step.restarts > 0 && !step.batch)  // Slurm says it too late to the batch script's
        length += std::snprintf(name.text + length, sizeof name.text - static_cast<unsigned>(length), "-%u",
                                step.restarts + 1);
    if (step.array > 0)
        std::snprintf(name.text + length, sizeof name.text - static_cast<unsigned>(length), ".%u_%u", step.array,
                      step.array_task);
    return name;
}

// The launch of the batch script of `job` whose processes have `job_name` in CLEARWAY_JOB: "slurm-1234.mpirun2" is its
// second; 0: none.
inline std::uint32_t launch_in(const char* job_name, std::uint32_t job) {
    char begin[32];
    const int length = std::snprintf(begin, sizeof begin, "slurm-%u%s", job, kLaunch);
    if (std::strncmp(job_name, begin, static_cast<std::size_t>(length)) != 0) return 0;
    const unsigned long number = std::strtoul(job_name + length, nullptr, 10);
    return number < 100'000 ? static_cast<std::uint32_t>(number) : 0;
}

// `pattern` with the user's home for %h and name for %u. False where it does not fit or is no absolute path then.
inline bool fill_in_folder(const char* pattern, const char* home, const char* user, char* path, std::size_t capacity) {
    std::size_t length = 0;
    for (const char* at = pattern; *at != '\0'; ++at) {
        const char* word = nullptr;
        if (*at == '%') word = at[1] == 'h' ? home : at[1] == 'u' ? user : nullptr;
        const std::size_t bytes = word != nullptr ? std::strlen(word) : 1;
        if (length + bytes >= capacity) return false;
        std::memcpy(path + length, word != nullptr ? word : at, bytes);
        length += bytes;
        if (word != nullptr) ++at;
    }
    path[length] = '\0';
    return path[0] == '/';
}

}  // namespace clearway::slurm
