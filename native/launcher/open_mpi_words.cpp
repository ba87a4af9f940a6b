#include "launcher/open_mpi_words.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace clearway::launcher {
namespace {

const char* without_folder(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

std::string joined(char** words) {
    std::string text;
    for (char** word = words; *word != nullptr; ++word) text.append(word == words ? "" : " ").append(*word);
    return text;
}

}  // namespace

const char* folders_before_path() { return std::getenv("OMPI_exec_path"); }

// Open MPI 4 says the name without its folder, and no arguments where there are none; Open MPI 5 the name as it was
// typed, and always arguments.
void tell_of(char** program) {
    const char* told = std::getenv("OMPI_COMMAND");
    if (told == nullptr || std::strcmp(without_folder(told), "clearway-record") != 0) return;
    const bool as_typed = std::strchr(told, '/') != nullptr;
    setenv("OMPI_COMMAND", as_typed ? program[0] : without_folder(program[0]), 1);
    if (program[1] == nullptr && !as_typed)
        unsetenv("OMPI_ARGV");
    else
        setenv("OMPI_ARGV", joined(program + 1).c_str(), 1);
}

}  // namespace clearway::launcher
