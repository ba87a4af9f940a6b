// A program of ours, linked as all of them are, does what depends on the additions in this folder. Without GoogleTest,
// which brings a C++ library of its own.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

extern "C" char __libc_single_threaded __attribute__((visibility("hidden")));

namespace {

int failures = 0;

void check(bool is_so, const char* what) {
    if (is_so) return;
    std::printf("not so: %s\n", what);
    ++failures;
}

int constructed = 0, arguments_seen = 0;
[[gnu::constructor]] void construct(int count, char** arguments, char** environment) {
    ++constructed;
    arguments_seen = count > 0 && arguments[count] == nullptr && environment == arguments + count + 1 ? count : -1;
}

// The program succeeds only if this is destructed at its end.
struct AtTheEnd {
    ~AtTheEnd() {
        std::fflush(stdout);
        _exit(failures);
    }
} at_the_end;

[[gnu::noinline]] void fail_at(int depth) {
    const std::string unwound(100, 'x');  // has a destructor
    if (depth == 0) throw std::runtime_error(unwound);
    fail_at(depth - 1);
}

void exceptions_are_caught() {
    try {
        fail_at(20);
        check(false, "thrown");
    } catch (const std::exception& error) {
        check(std::string(error.what()).size() == 100, "the exception that was thrown");
    }
}

void files_have_attributes(const char* own_path) {
    struct stat one, other;
    check(stat(own_path, &one) == 0 && S_ISREG(one.st_mode) && one.st_size > 1000, "stat");
    const int fd = open(own_path, O_RDONLY | O_CLOEXEC);
    check(fstat(fd, &other) == 0 && other.st_ino == one.st_ino && other.st_mtime == one.st_mtime, "fstat");
    close(fd);
    check(lstat("/proc/self/exe", &other) == 0 && S_ISLNK(other.st_mode), "lstat");
    check(stat("/proc/self/exe", &other) == 0 && other.st_ino == one.st_ino, "stat follows links");
    check(stat("/no such file", &other) == -1 && errno == ENOENT, "errno of stat");
}

}  // namespace

int main(int count, char** arguments) {
    check(constructed == 1, "constructors ran once");
    check(arguments_seen == count, "constructors got the arguments");
    exceptions_are_caught();
    files_have_attributes(arguments[0]);
    volatile double two = 2, ten = 10;
    check(std::pow(two, ten) == 1024 && std::exp2(ten) == 1024 && std::log2(two) == 1, "powers of two");
    check(std::fabs(std::log(std::exp(ten)) - 10) < 1e-12, "exp and log");
    check(__libc_single_threaded == 0, "users are counted atomically");
    check(dlsym(RTLD_DEFAULT, "getpid") != nullptr, "dlsym");
    return 99;
}
