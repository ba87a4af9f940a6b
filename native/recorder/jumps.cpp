#include "recorder/jumps.hpp"

#include <unwind.h>

#include "recorder/thread.hpp"
#include "recorder_doors.hpp"

// What the unwinder calls for each frame of end_call_when_unwound() (Itanium C++ ABI, exception handling, 2.5.2).
extern "C" [[gnu::used, gnu::visibility("hidden")]] _Unwind_Reason_Code clearway_unwound(int, _Unwind_Action actions,
                                                                                         _Unwind_Exception_Class,
                                                                                         _Unwind_Exception*,
                                                                                         _Unwind_Context*) {
    if ((actions & _UA_CLEANUP_PHASE) != 0) clearway::recorder::abandon_call(clearway::recorder::thread_state);
    return _URC_CONTINUE_UNWIND;
}

namespace clearway::recorder {
namespace {

// A jump that stays inside the call, within a handler, is taken for one out of it: what the handler calls after that is
// recorded as if the program had called it.
void leave_call() {
    ThreadState& state = thread_state;
    if ((state.mpi_depth | state.io_depth) != 0) abandon_call(state);
}

}  // namespace

void find_jumps() {
    for (auto* jump : {&real::longjmp, &real::_longjmp, &real::siglongjmp, &real::__longjmp_chk}) jump->function();
}

}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_JUMPING_DOOR(name) \
    CLEARWAY_DOOR(name) {           \
        leave_call();               \
        CLEARWAY_REAL(name);        \
    }

CLEARWAY_JUMPING_DOOR(longjmp)
CLEARWAY_JUMPING_DOOR(_longjmp)
CLEARWAY_JUMPING_DOOR(siglongjmp)
CLEARWAY_JUMPING_DOOR(__longjmp_chk)
