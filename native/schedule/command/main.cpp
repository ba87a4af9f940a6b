// clearway-schedule: Schedules as JSON on stdout, for `clearway schedule` and for other programs.
#include <cstdio>

#include "schedule/algorithms.hpp"
#include "schedule/command/json.hpp"
#include "schedule/command/options.hpp"

int main(int, char** arguments) {
    using namespace clearway::schedule;
    using clearway::command_line::Parsed;
    Options options;
    if (const Parsed parsed = parse_options(arguments, options); parsed != Parsed::run)
        return parsed == Parsed::done ? 0 : 2;
    if (options.lists) {
        print_algorithms(stdout);
    } else {
        const Schedule schedule = make_schedule(*options.algorithm, options.problem, options.separation);
        print_schedule(schedule, options.with_messages, options.with_check, stdout);
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
}
