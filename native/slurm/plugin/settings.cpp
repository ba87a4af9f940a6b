#include "slurm/plugin/settings.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "slurm/step.hpp"

namespace clearway::slurm {

Settings settings{kSpool, kFolder, nullptr, true};

namespace {

const char* after(const char* text, const char* name) {
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 ? text + length : nullptr;
}

int on_option(int, const char* given, int) {
    const bool on = given != nullptr && strcmp(given, "on") == 0;
    if (!on && (given == nullptr || strcmp(given, "off") != 0)) {
        slurm_error("clearway: --clearway=%s is not valid: on or off", given != nullptr ? given : "");
        return -1;
    }
    settings.wanted = on;
    if (on) settings.partitions = nullptr;
    return 0;
}

char option_name[] = "clearway", option_values[] = "on|off",
     option_help[] = "record where the time of MPI programs goes (clearway report JOB)";
spank_option option{option_name, option_values, option_help, 1, 0, on_option};

bool in_list(const char* list, const char* word) {
    const size_t length = strlen(word);
    for (const char* at = list; at != nullptr; at = strchr(at, ','), at = at != nullptr ? at + 1 : nullptr)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

}  // namespace

void read_setting(const char* text) {
    if (const char* spool = after(text, "spool="))
        settings.spool = spool;
    else if (const char* folder = after(text, "folder="))
        settings.folder = folder;
    else if (const char* partitions = after(text, "partitions="))
        settings.partitions = partitions;
    else if (const char* otherwise = after(text, "default="))
        settings.wanted = strcmp(otherwise, "off") != 0;
    else
        slurm_error("clearway: plugstack.conf: unknown option '%s'", text);
}

void register_option(spank_t spank) { spank_option_register(spank, &option); }

bool in_partition(spank_t spank) {
    char partition[256] = "";
    if (settings.partitions == nullptr) return true;
    return spank_getenv(spank, "SLURM_JOB_PARTITION", partition, sizeof partition) == ESPANK_SUCCESS &&
           in_list(settings.partitions, partition);
}

void say(const char* format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    slurm_error("clearway: %s", text);
}

}  // namespace clearway::slurm
