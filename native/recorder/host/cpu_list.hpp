// Lists as the kernel writes them: "0-3,8".
#pragma once

#include <algorithm>
#include <cstdlib>

namespace clearway::recorder {

// Calls `visit(number)` for each number of a list below `limit`.
template <class Visit>
void for_each_cpu(const char* list, int limit, Visit visit) {
    for (const char* at = list; *at >= '0' && *at <= '9';) {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
        for (long number = first; number <= std::min(last, long{limit} - 1); ++number) visit(static_cast<int>(number));
        if (*end != ',') return;
        at = end + 1;
    }
}

}  // namespace clearway::recorder
