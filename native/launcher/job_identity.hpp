// Which job this rank belongs to: the same text in all its ranks, another in the next job.
#pragma once

namespace clearway::launcher {

struct JobToken {
    char text[64];  // fits FileHeader::job
};

// From the launcher's environment, or from the process tree where it exports nothing of the kind.
JobToken find_job_token();

// Whether to speak for the whole job: true in its first rank on this host, and outside MPI.
bool speaks_for_host();

}  // namespace clearway::launcher
