// clearway-slurm: what Slurm's plugin, TaskProlog and TaskEpilog call. It starts in a millisecond.
#include <cstdio>
#include <cstring>

#include "slurm/gather.hpp"
#include "slurm/job_end.hpp"
#include "slurm/step.hpp"
#include "slurm/task_prolog.hpp"

namespace clearway::slurm {
namespace {

constexpr char kHelp[] =
    "usage: clearway-slurm task-prolog [spool=DIR]              prints the settings that record each task: for "
    "slurm.conf's "
    "TaskProlog\n"
    "       clearway-slurm task-epilog [spool=DIR] [folder=DIR] saves the records of a task's step: for TaskEpilog\n"
    "       clearway-slurm job-end [queue=DIR] [say=yes]        writes a verdict on the job: for EpilogSlurmctld\n"
    "       clearway-slurm gather SPOOL RUN [KILLED]            moves the records of a finished step into its "
    "Run\n"
    "       clearway-slurm gather-launches SPOOL RUN            the same for each mpirun of a batch script\n"
    "       clearway-slurm drop SPOOL                           removes the records\n"
    "\n"
    "spool: where records are while a step runs (default /dev/shm/clearway, for each user with -UID added)\n"
    "folder: where Runs are kept; %h is the user's home, %u the user's name (default %h/.clearway/slurm)\n"
    "KILLED: tasks that a signal ended, RANK:PID:SIGNAL each, with commas between them\n"
    "queue: list of jobs that ended (default /dev/shm/clearway-ended); say=yes: add the verdict to the job's output\n";

// The value of `name=` among the arguments.
const char* value_of(char** arguments, const char* name, const char* otherwise) {
    const std::size_t length = std::strlen(name);
    for (; *arguments != nullptr; ++arguments)
        if (std::strncmp(*arguments, name, length) == 0 && (*arguments)[length] == '=') return *arguments + length + 1;
    return otherwise;
}

bool is(const char* text, const char* verb) { return text != nullptr && std::strcmp(text, verb) == 0; }

int run(char** arguments) {
    const char* verb = arguments[0];
    if (is(verb, "task-prolog")) {
        print_task_prolog(value_of(arguments, "spool", kSpool));
        return 0;
    }
    if (is(verb, "task-epilog"))
        return end_task(value_of(arguments, "spool", kSpool), value_of(arguments, "folder", kFolder)) ? 0 : 1;
    if (is(verb, "job-end"))
        return end_job(value_of(arguments, "queue", "/dev/shm/clearway-ended"),
                       is(value_of(arguments, "say", "no"), "yes"))
                   ? 0
                   : 1;
    if (is(verb, "gather") && arguments[1] != nullptr && arguments[2] != nullptr)
        return gather({arguments[1], arguments[2], true, arguments[3] != nullptr ? arguments[3] : ""}) ? 0 : 1;
    if (is(verb, "gather-launches") && arguments[1] != nullptr && arguments[2] != nullptr)
        return gather_launches(arguments[1], arguments[2]) ? 0 : 1;
    if (is(verb, "drop") && arguments[1] != nullptr) {
        drop(arguments[1]);
        return 0;
    }
    const bool asked = is(verb, "--help") || is(verb, "-h");
    const bool version = is(verb, "--version");
    std::fputs(version ? "clearway-slurm " CLEARWAY_VERSION "\n" : kHelp, asked || version ? stdout : stderr);
    return asked || version ? 0 : 2;
}

}  // namespace
}  // namespace clearway::slurm

int main(int, char** arguments) { return clearway::slurm::run(arguments + 1); }
