// Variables of the environment, and a folder, for one test.
#pragma once

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace clearway::launcher {

// Of the test alone: what launchers and schedulers may have set around it is gone.
class InEnvironment : public ::testing::Test {
protected:
    InEnvironment() {
        clearenv();
        char pattern[] = "/tmp/clearway-test-XXXXXX";
        folder = mkdtemp(pattern);
    }
    ~InEnvironment() override { std::filesystem::remove_all(folder); }

    static void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }
    static std::string get(const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr ? value : "(not set)";
    }

    // A file in the folder; its path.
    std::string make(const std::string& name, mode_t mode = 0755, const std::string& text = "#!/bin/sh\n") const {
        const std::filesystem::path path = folder + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
        chmod(path.c_str(), mode);
        return path;
    }

    std::string folder;
};

}  // namespace clearway::launcher
