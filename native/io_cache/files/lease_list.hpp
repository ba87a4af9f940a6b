// The leases of the machine, as /proc/locks lists them.
#pragma once

#include <sys/types.h>

namespace clearway::io_cache {

struct Leased {
    int process = 0;  // 0: one in another container
    unsigned long inode = 0;
    bool is_breaking = false;  // somebody waits for it
};

using VisitLease = void (*)(void* context, const Leased& lease);

// However many there are.
void for_each_lease(VisitLease visit, void* context);

template <class Visit>
void for_each_lease(Visit visit) {
    for_each_lease([](void* context, const Leased& lease) { (*static_cast<Visit*>(context))(lease); }, &visit);
}

}  // namespace clearway::io_cache
