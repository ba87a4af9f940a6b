// A program of steps, each of computing and of one family of MPI calls, in which faults are planted.
//   skeleton family=halo steps=50 compute=0.04 bytes=8000 truth=/tmp/truth fault=sleeping-rank,amount=0.02,first=1
#include <stdio.h>

#include "computing.h"
#include "families.h"
#include "faults.h"
#include "settings.h"
#include "truth.h"

int main(int argc, char** argv) {
    Settings settings = read_settings(argc, argv);
    Settings* s = &settings;
    const int rank = rank_to_be();
    Truth* truth = open_truth(s, rank);
    for (int i = 0; i < s->fault_count; ++i) plant_at_start(&s->faults[i], rank);
    MPI_Init(&argc, &argv);
    truth->ready_s = now_s();
    Messages messages = open_messages(s);
    for (int step = 0; step < (int)s->steps; ++step) {
        compute_with((int)s->threads, (1 - overlapped(s)) * s->compute_s);
        for (int i = 0; i < s->fault_count; ++i) plant(&s->faults[i], rank, messages.ranks, step);
        if (messages.ranks > 1) communicate(s, &messages, step);
        truth->step_end_s[step] = now_s();
        truth->steps_done = step + 1;
    }
    close_messages(&messages);
    MPI_Finalize();
    truth->end_s = now_s();
    return 0;
}
