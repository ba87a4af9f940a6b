// Functions of libm that have a younger version since 2.29, which does not set errno in the old way; nobody here asks
// for it. No stub is linked for them, as for others in functions.table: libm itself would then be left out. Under
// another C++ name, since the compiler knows them and their visibility.
#define CLEARWAY_OLDER(result, name, parameters, arguments)                                    \
    extern "C" result clearway_older_##name parameters;                                        \
    __asm__(".symver clearway_older_" #name ", " #name "@" CLEARWAY_FIRST_GLIBC);              \
    extern "C" [[gnu::visibility("hidden")]] result clearway_##name parameters __asm__(#name); \
    result clearway_##name parameters { return clearway_older_##name arguments; }

CLEARWAY_OLDER(double, exp, (double x), (x))
CLEARWAY_OLDER(double, exp2, (double x), (x))
CLEARWAY_OLDER(double, log, (double x), (x))
CLEARWAY_OLDER(double, log2, (double x), (x))
CLEARWAY_OLDER(double, pow, (double x, double y), (x, y))
