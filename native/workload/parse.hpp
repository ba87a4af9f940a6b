// Reads a Script from its text. docs/workloads.md shows the format.
#pragma once

#include <string>
#include <string_view>

#include "workload/script.hpp"

namespace clearway::workload {

struct ScriptError {
    int line = 0;  // 0: no line alone is wrong
    std::string message;
    std::string hint;
};

// False, with the first thing that is wrong, where the text is no Script, or is one that could not run: messages that
// nobody receives, ranks that do not call the same collective operations.
bool parse_script(std::string_view text, Script& script, ScriptError& error);

}  // namespace clearway::workload
