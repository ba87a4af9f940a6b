#include "recorder/jumps.hpp"

#include <unwind.h>

#include "recorder/io/door.hpp"
#include "recorder/thread.hpp"

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

using Jump = void(void*, int);
constinit Door<Jump> longjmp_door{"longjmp"}, _longjmp_door{"_longjmp"}, siglongjmp_door{"siglongjmp"};
constinit Door<Jump> checked_door{"__longjmp_chk"};

// A jump that stays inside the call, within a handler, is taken for one out of it: what the handler calls after that is
// recorded as if the program had called it.
void jump(Door<Jump>& door, void* place, int value) {
    ThreadState& state = thread_state;
    if ((state.mpi_depth | state.io_depth) != 0) abandon_call(state);
    door.real()(place, value);
}

}  // namespace

void find_jumps() {
    for (Door<Jump>* door : {&longjmp_door, &_longjmp_door, &siglongjmp_door, &checked_door}) door->real();
}

}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

CLEARWAY_DOOR(void, longjmp, void* place, int value) { jump(longjmp_door, place, value); }
CLEARWAY_DOOR(void, _longjmp, void* place, int value) { jump(_longjmp_door, place, value); }
CLEARWAY_DOOR(void, siglongjmp, void* place, int value) { jump(siglongjmp_door, place, value); }
CLEARWAY_DOOR(void, __longjmp_chk, void* place, int value) { jump(checked_door, place, value); }
