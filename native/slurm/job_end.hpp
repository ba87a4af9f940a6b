// For slurm.conf's EpilogSlurmctld, on the head, when a job has ended.
#pragma once

namespace clearway::slurm {

// Puts the job into the queue of those that a verdict is wanted on, and starts who works on it where nobody does.
// `says`: the verdict goes to the job's output as well. False: it could not, and stderr says why.
bool end_job(const char* queue, bool says);

}  // namespace clearway::slurm
