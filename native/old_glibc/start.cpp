// How a program starts with any glibc. What the compiler puts before main (crt1.o) calls __libc_start_main; since glibc
// 2.34 it leaves the constructors to that, and asks for a version that an older glibc does not have, nor would its own
// one run them. So the older version is called (--wrap), and told to run them, which all of them do.
#include <cstddef>

extern "C" {

using Function = void(int, char**, char**);

extern Function* __preinit_array_start[] __attribute__((visibility("hidden"), weak));
extern Function* __preinit_array_end[] __attribute__((visibility("hidden"), weak));
extern Function* __init_array_start[] __attribute__((visibility("hidden"), weak));
extern Function* __init_array_end[] __attribute__((visibility("hidden"), weak));
void _init() __attribute__((visibility("hidden")));

int clearway_start_main(int (*main)(int, char**, char**), int count, char** arguments, Function* constructors,
                        void (*destructors)(), void (*loader_end)(), void* stack_end);
__asm__(".symver clearway_start_main, __libc_start_main@" CLEARWAY_FIRST_GLIBC);

static void run_constructors(int count, char** arguments, char** environment) {
    const std::size_t before = static_cast<std::size_t>(__preinit_array_end - __preinit_array_start);
    for (std::size_t i = 0; i < before; ++i) __preinit_array_start[i](count, arguments, environment);
    _init();
    const std::size_t own = static_cast<std::size_t>(__init_array_end - __init_array_start);
    for (std::size_t i = 0; i < own; ++i) __init_array_start[i](count, arguments, environment);
}

// Destructors are the loader's to run (loader_end).
[[gnu::visibility("hidden")]] int __wrap___libc_start_main(int (*main)(int, char**, char**), int count,
                                                           char** arguments, Function* constructors,
                                                           void (*destructors)(), void (*loader_end)(),
                                                           void* stack_end) {
    if (constructors == nullptr) constructors = run_constructors;
    return clearway_start_main(main, count, arguments, constructors, destructors, loader_end, stack_end);
}

}  // extern "C"
