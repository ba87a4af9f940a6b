// `-o run-%j`: sbatch's patterns in the name of a Run directory. python/clearway/job/run_name.py does the same.
#pragma once

#include <cstddef>

namespace clearway::launcher {

// `given` with %j %J %A %a %x %n %N filled in where Slurm's variables tell, with the first four where Grid Engine's do,
// else as it is. A job that was put back
// into the queue gets "-2", "-3" …, as it does from `clearway run`. Says whether it fits.
bool fill_in_run_name(const char* given, char* filled, std::size_t capacity);

// The number of Slurm's job where all its ranks know it, "1234" or "1234_7"; else null.
const char* job_in_name(char (&text)[64]);

}  // namespace clearway::launcher
