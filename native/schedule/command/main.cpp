// clearway-schedule: Schedules as JSON on stdout, for `clearway schedule` and for other programs.
#include <cstdio>

#include "schedule/algorithms.hpp"
#include "schedule/command/json.hpp"
#include "schedule/command/options.hpp"

int main(int, char** arguments) {
    using namespace clearway::schedule;
    Options options;
    switch (parse_options(arguments, options)) {
        case Parsed::done:
            return 0;
        case Parsed::wrong:
            return 2;
        case Parsed::list:
            print_algorithms(stdout);
            return 0;
        case Parsed::make:
            break;
    }
    const Schedule schedule = make_schedule(*options.algorithm, options.problem, options.separation);
    print_schedule(schedule, options.with_messages, options.with_check, stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
