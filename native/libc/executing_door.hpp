// The doors of execl, execlp and execle, whose arguments are a list in the call itself: it is made an array.
#pragma once

#include <alloca.h>

#include "libc/door.hpp"

// `variables` stands behind the arguments. As many as there are: a handler of crashes may have little stack.
#define CLEARWAY_EXECUTING_DOOR(name, variables, call)                                             \
    CLEARWAY_DOOR(name) {                                                                          \
        unsigned long count = 0;                                                                   \
        va_list rest;                                                                              \
        va_start(rest, first);                                                                     \
        for (const char* next = first; next != nullptr; next = va_arg(rest, const char*)) ++count; \
        va_end(rest);                                                                              \
        auto** list = static_cast<const char**>(alloca((count + 1) * sizeof(char*)));              \
        list[0] = first;                                                                           \
        va_start(rest, first);                                                                     \
        for (unsigned long i = 1; i <= count; ++i) list[i] = va_arg(rest, const char*);            \
        [[maybe_unused]] char* const* environment = variables;                                     \
        va_end(rest);                                                                              \
        char* const* arguments = const_cast<char* const*>(list);                                   \
        return call;                                                                               \
    }
