// Text that anybody may have written (arguments, lines of a file), made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace clearway::command_line {

// What a terminal would obey instead of showing it, and bytes that are no UTF-8, as \x1b.
std::string visible(std::string_view text);

}  // namespace clearway::command_line
