// Which job this rank belongs to: the same text in all its ranks, another in the next job.
#pragma once

namespace clearway::launcher {

struct JobToken {
    char text[64];  // fits FileHeader::job
};

// From the launcher's environment, or from the process tree where it exports nothing of the kind.
JobToken find_job_token();

// Whether a launcher started this process, or what it is in: it has a rank.
bool has_rank();

// Whether to speak for all ranks of this host, or of the job: true in the first of them, and outside MPI.
bool speaks_for_host();
bool speaks_for_job();

}  // namespace clearway::launcher
