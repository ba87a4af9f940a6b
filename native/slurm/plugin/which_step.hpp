// The step that this slurmstepd runs, and where its records are below the spool.
#pragma once

#include <cstdint>

extern "C" {
#include <slurm/spank.h>
}

#include "slurm/step.hpp"

namespace clearway::slurm {

struct Place {
    StepName name;   // of the Run
    char path[192];  // of the folder below the spool: the Run's name, or 1234.batch/mpirun1
};

// False for the likes of an allocation's shell: what srun and a batch script start is recorded.
bool find_step(spank_t spank, Step& step);

Place place_of(const Step& step);

// The first of the folders in the path of a place.
StepName outermost(const char* path);

bool is_heterogeneous(spank_t spank);

// Whether it has the environment of a batch script that is watched, or of a step that is recorded.
bool is_of_every_job(spank_t spank);

}  // namespace clearway::slurm
