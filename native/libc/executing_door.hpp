// The doors of execl, execlp and execle, whose arguments are a list in the call itself: it is made an array.
#pragma once

#include "libc/door.hpp"

namespace clearway {

inline constexpr int kMostArguments = 4096;

}  // namespace clearway

// `variables` stands behind the arguments.
#define CLEARWAY_EXECUTING_DOOR(name, variables, call)                      \
    CLEARWAY_DOOR(name) {                                                   \
        const char* list[::clearway::kMostArguments];                       \
        const char* next = first;                                           \
        int count = 0;                                                      \
        va_list rest;                                                       \
        va_start(rest, first);                                              \
        while (next != nullptr && count < ::clearway::kMostArguments - 1) { \
            list[count++] = next;                                           \
            next = va_arg(rest, const char*);                               \
        }                                                                   \
        list[count] = nullptr;                                              \
        [[maybe_unused]] char* const* environment = variables;              \
        va_end(rest);                                                       \
        if (next != nullptr) {                                              \
            errno = E2BIG;                                                  \
            return -1;                                                      \
        }                                                                   \
        char* const* arguments = const_cast<char* const*>(list);            \
        return call;                                                        \
    }
