// Programs that a recorded one starts: whether the recorder goes with them.
#pragma once

namespace clearway::recorder {

// Where this library lies, as the loader was told. Once, before anything can be started.
void find_own_library();

}  // namespace clearway::recorder
