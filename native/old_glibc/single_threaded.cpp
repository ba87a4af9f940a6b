// What libstdc++ asks before it counts users of an object without an atomic instruction (glibc 2.32). Here it never
// does.
extern "C" [[gnu::visibility("hidden")]] char __libc_single_threaded;
char __libc_single_threaded = 0;
