#include "recorder/stepping_aside.hpp"
#include "recorder_doors.hpp"

// Another user, another group. To the kernel each thread has its own; libc changes them in all, and ends the program
// where one of them is told otherwise than the others (nptl(7)). That is so where the program has kept or given up
// rights in its own thread alone (PR_SET_KEEPCAPS, capset), as setpriv does, for the sampler has not.

using namespace clearway::recorder;

#define CLEARWAY_RIGHTS_DOOR(name)                                   \
    CLEARWAY_DOOR(name) {                                            \
        return without_sampler([&] { return CLEARWAY_REAL(name); }); \
    }

CLEARWAY_RIGHTS_DOOR(setuid)
CLEARWAY_RIGHTS_DOOR(seteuid)
CLEARWAY_RIGHTS_DOOR(setreuid)
CLEARWAY_RIGHTS_DOOR(setresuid)
CLEARWAY_RIGHTS_DOOR(setgid)
CLEARWAY_RIGHTS_DOOR(setegid)
CLEARWAY_RIGHTS_DOOR(setregid)
CLEARWAY_RIGHTS_DOOR(setresgid)
CLEARWAY_RIGHTS_DOOR(setgroups)
CLEARWAY_RIGHTS_DOOR(initgroups)
