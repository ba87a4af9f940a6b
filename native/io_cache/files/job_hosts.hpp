// What the job's launcher says of hosts.
#pragma once

namespace clearway::io_cache {

// False also where there is a launcher that does not say.
bool job_has_one_host();

// Ranks of the job on this host, 1 or more: they share its memory.
unsigned local_ranks();

}  // namespace clearway::io_cache
