// For a site that builds no plugin: what Slurm's TaskProlog prints reaches the environment of each task.
#pragma once

namespace clearway::slurm {

// `spool` is the folder of all jobs on this node; each user has one beside it.
void print_task_prolog(const char* spool);

// After a task: keeps the records of the step's processes that have ended. False where one could not be kept.
bool end_task(const char* spool, const char* folder);

}  // namespace clearway::slurm
