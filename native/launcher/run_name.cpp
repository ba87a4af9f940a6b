#include "launcher/run_name.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace clearway::launcher {
namespace {

constexpr std::size_t kLongestWord = 64;

const char* told(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? text : nullptr;
}

// The number of srun's step; null in the batch script, whose own is beyond all others.
const char* step() {
    const char* number = told("SLURM_STEP_ID");
    return number != nullptr && std::strlen(number) < 10 ? number : nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || std::strchr("._+-", c) != nullptr;
}

// What may stand in a directory's name, whatever the job is called.
void make_plain(char* text) {
    bool leads = true;
    for (char* at = text; *at != '\0'; ++at) {
        leads = leads && *at == '.';
        if (leads || !is_plain(*at)) *at = '_';
    }
}

// The first of "n[01-04],gpu1".
void first_node(const char* nodes, char (&name)[kLongestWord + 1]) {
    std::size_t length = 0;
    bool within = false;
    for (const char* at = nodes; *at != '\0' && length < kLongestWord; ++at) {
        const bool ends = within ? !is_digit(*at) : *at == ',' || *at == '.';
        if (ends) break;
        if (*at == '[')
            within = true;
        else
            name[length++] = *at;
    }
    name[length] = '\0';
}

// An array's task under Grid Engine; null in a job that is none.
const char* grid_engine_task() {
    const char* task = told("SGE_TASK_ID");
    return task != nullptr && is_digit(*task) ? task : nullptr;
}

bool in_grid_engine() { return told("SGE_TASK_ID") != nullptr && told("JOB_ID") != nullptr; }

// Grid Engine's numbers, which are the same on all hosts of a job: its name is not.
bool word_of_grid_engine(char letter, char (&word)[kLongestWord + 1]) {
    const char *job = told("JOB_ID"), *task = grid_engine_task();
    switch (letter) {
        case 'j':
        case 'J':
            std::snprintf(word, sizeof word, "%s%s%s", job, task != nullptr ? "." : "", task != nullptr ? task : "");
            break;
        case 'A':
            std::snprintf(word, sizeof word, "%s", job);
            break;
        case 'a':
            std::snprintf(word, sizeof word, "%s", task != nullptr ? task : "0");
            break;
        default:
            return false;
    }
    make_plain(word);
    return true;
}

// What stands for `%letter`; false where that is no pattern.
bool word_of(char letter, char (&word)[kLongestWord + 1]) {
    const char* job = told("SLURM_JOB_ID");
    if (job == nullptr) return word_of_grid_engine(letter, word);
    const char *array = told("SLURM_ARRAY_JOB_ID"), *task = told("SLURM_ARRAY_TASK_ID");
    const char *name = told("SLURM_JOB_NAME"), *nodes = told("SLURM_JOB_NODELIST");
    switch (letter) {
        case 'j':
            std::snprintf(word, sizeof word, "%s", job);
            break;
        case 'J':
            std::snprintf(word, sizeof word, "%s%s%s", job, step() != nullptr ? "." : "",
                          step() != nullptr ? step() : "");
            break;
        case 'A':
            std::snprintf(word, sizeof word, "%s", array != nullptr ? array : job);
            break;
        case 'a':
            std::snprintf(word, sizeof word, "%s", task != nullptr ? task : "0");
            break;
        case 'x':
            std::snprintf(word, sizeof word, "%s", name != nullptr ? name : "");
            break;
        case 'n':
            std::snprintf(word, sizeof word, "0");  // all ranks write into one Run: it is the job's first node
            break;
        case 'N':
            first_node(nodes != nullptr ? nodes : "", word);
            break;
        default:
            return false;
    }
    make_plain(word);
    return true;
}

// Text with an end that is not crossed.
struct Filled {
    char* text;
    std::size_t capacity, length = 0;

    void add(char c) {
        if (length + 1 < capacity) text[length] = c;
        ++length;
    }
    void add(const char* word) {
        for (; *word != '\0'; ++word) add(*word);
    }
    bool end() {
        if (capacity > 0) text[length < capacity ? length : capacity - 1] = '\0';
        return length < capacity;
    }
};

void add_padded(Filled& filled, const char* word, unsigned width) {
    const std::size_t length = std::strlen(word);
    if (length > 0 && std::strspn(word, "0123456789") == length)
        for (std::size_t digits = length; digits < width; ++digits) filled.add('0');
    filled.add(word);
}

// The length of the pattern at `at`, having added what it stands for; 0 where there is none.
std::size_t add_pattern(Filled& filled, const char* at) {
    if (at[1] == '%') {
        filled.add('%');
        return 2;
    }
    std::size_t digits = 0;
    unsigned width = 0;
    for (; digits < 2 && is_digit(at[1 + digits]); ++digits)
        width = 10 * width + static_cast<unsigned>(at[1 + digits] - '0');
    char word[kLongestWord + 1];
    if (!word_of(at[1 + digits], word)) return 0;
    add_padded(filled, word, width < 10 ? width : 10);
    return digits + 2;
}

// Ranks of an mpirun see Slurm's variables on some hosts and not on others; those of srun all have them.
bool slurm_starts_its_ranks() {
    if (told("SLURM_JOB_ID") == nullptr || told("SLURM_PROCID") == nullptr || step() == nullptr) return false;
    const char* name = told("PMIX_NAMESPACE");
    return name == nullptr ? told("I_MPI_HYDRA_UUID") == nullptr : std::strncmp(name, "slurm.", 6) == 0;
}

}  // namespace

bool fill_in_run_name(const char* given, char* text, std::size_t capacity) {
    Filled filled{text, capacity};
    const bool in_job = told("SLURM_JOB_ID") != nullptr || in_grid_engine();
    for (const char* at = given; *at != '\0';) {
        const std::size_t length = in_job && *at == '%' ? add_pattern(filled, at) : 0;
        if (length == 0) filled.add(*at);
        at += length > 0 ? length : 1;
    }
    const char* restarts = told("SLURM_RESTART_COUNT");
    const long again = restarts != nullptr && slurm_starts_its_ranks() ? std::strtol(restarts, nullptr, 10) : 0;
    if (again > 0 && again < 1'000'000) {
        char number[16];
        std::snprintf(number, sizeof number, "-%ld", again + 1);
        filled.add(number);
    }
    return filled.end();
}

const char* job_in_name(char (&text)[64]) {
    if (!slurm_starts_its_ranks()) return nullptr;
    const char *array = told("SLURM_ARRAY_JOB_ID"), *task = told("SLURM_ARRAY_TASK_ID");
    if (array != nullptr && task != nullptr)
        std::snprintf(text, sizeof text, "%.30s_%.30s", array, task);
    else
        std::snprintf(text, sizeof text, "%.60s", told("SLURM_JOB_ID"));
    make_plain(text);
    return text;
}

}  // namespace clearway::launcher
