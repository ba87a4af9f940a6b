// Stands in for computing: keeps a core busy.
#pragma once

#include <cstdint>

namespace clearway::workload {

// Until this thread has had `duration_ns` of a core: two ranks that share one take twice as long, as programs do.
void spin(std::uint64_t duration_ns);

}  // namespace clearway::workload
