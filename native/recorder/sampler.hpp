// The one thread of ours in a job: it reads what only the kernel knows, at a fixed pace.
//
// Every CLEARWAY_SAMPLE_MS: the heartbeat, the TCP connections and what the main thread is doing; once a second the
// process, in the first process of each host the host too. It blocks all signals, is not recorded itself, and nothing
// waits for it: a job that cannot have one more thread goes on without samples between start and end.
#pragma once

namespace clearway::recorder {

void start_sampler();

// After it returns the sampler touches the record no more (or, if the kernel holds it up, within moments).
void stop_sampler();

// For what the kernel does only in a process of one thread. False where there is no sampler to be started again.
bool pause_sampler();

// The sampler's thread, 0 before it runs: not one of the job's.
int sampler_thread_id();

}  // namespace clearway::recorder
