// For a scope the program cannot cancel this thread: where we wait, or call what libc's points of cancellation are in.
#pragma once

#include <pthread.h>

namespace clearway {

class NotCancelled {
public:
    NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }
    NotCancelled(const NotCancelled&) = delete;
    NotCancelled& operator=(const NotCancelled&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace clearway
