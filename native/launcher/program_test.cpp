// Which program execvp would start, and whether a library can be preloaded into it.
#include "launcher/program.hpp"

#include <elf.h>
#include <link.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "launcher/testing/environment.hpp"
#include "preload/reach.hpp"

namespace clearway::launcher {
namespace {

class Program : public InEnvironment {
protected:
    std::string found(const std::string& name) {
        char path[PATH_MAX] = "";
        error = find_program(name.c_str(), where, path, sizeof path);
        return error == 0 ? path : "";
    }
    Search where;
    int error = 0;
};

TEST_F(Program, IsTheFirstInThePathThatCanBeExecuted) {
    make("one/md", 0644);
    const std::string second = make("two/md"), third = make("three/md");
    std::filesystem::create_directories(folder + "/zero/md");
    set("PATH", folder + "/nowhere:" + folder + "/zero:" + folder + "/one:" + folder + "/two:" + folder + "/three");
    EXPECT_EQ(found("md"), second) << "neither a folder nor a file without the right";
    EXPECT_EQ(found(third), third);
    set("PATH", folder + "/one:" + folder + "/nowhere");
    EXPECT_EQ(found("md"), "");
    EXPECT_EQ(error, EACCES) << "as execvp says where it found one that is none";
    EXPECT_EQ(found("mdd"), "");
    EXPECT_EQ(error, ENOENT);
    std::filesystem::permissions(folder + "/one", std::filesystem::perms::none);
    EXPECT_EQ(found("mdd"), "");
    EXPECT_EQ(error, ENOENT) << "a mistyped name, though a folder may not be searched";
    std::filesystem::permissions(folder + "/one", std::filesystem::perms::owner_all);
    EXPECT_EQ(found(""), "");
    EXPECT_EQ(error, ENOENT);
}

TEST_F(Program, OfAnEmptyPartOfThePathIsInTheWorkingDirectory) {
    make("md");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    for (const char* path : {":/nowhere", "/nowhere:", "/nowhere::/nowhere", ""}) {
        set("PATH", path);
        EXPECT_EQ(found("md"), "md") << path;
    }
    EXPECT_EQ(found("./md"), "./md");
    std::filesystem::current_path(before);
    unsetenv("PATH");
    EXPECT_NE(found("sh"), "") << "in /bin";
}

TEST_F(Program, OfALauncherMayBeInTheWorkingDirectory) {
    make("md");
    make("plain", 0644);
    const std::string other = make("one/other");
    make("other");
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    set("PATH", folder + "/one");
    EXPECT_EQ(found("md"), "") << "a shell does not look there";
    where.in_working_directory = true;
    EXPECT_EQ(found("md"), "./md");
    EXPECT_EQ(found("other"), other) << "the PATH comes first";
    EXPECT_EQ(found("plain"), "");
    EXPECT_EQ(error, EACCES);
    EXPECT_EQ(found("mdd"), "");
    EXPECT_EQ(error, ENOENT);
    EXPECT_EQ(found(""), "");
    std::filesystem::current_path(before);
}

TEST_F(Program, OfALauncherMayBeInFoldersOfItsOwn) {
    const std::string its = make("its/md");
    make("one/md");
    const std::string other = make("one/other");
    set("PATH", folder + "/one");
    const std::string folders = folder + "/nowhere:" + folder + "/its";
    where.first = folders.c_str();
    EXPECT_EQ(found("md"), its) << "before the PATH";
    EXPECT_EQ(found("other"), other);
    EXPECT_EQ(found(folder + "/one/md"), folder + "/one/md");
}

TEST_F(Program, WithoutASearchIsRefusedAsTheKernelWould) {
    EXPECT_EQ(found(folder + "/md"), "");
    EXPECT_EQ(error, ENOENT);
    EXPECT_EQ(found(make("plain", 0644)), "");
    EXPECT_EQ(error, EACCES);
    EXPECT_EQ(found(folder + "/plain/md"), "");
    EXPECT_EQ(error, ENOTDIR);
    EXPECT_EQ(found("/" + std::string(PATH_MAX, 'x')), "");
    EXPECT_EQ(error, ENAMETOOLONG);
    set("PATH", "/" + std::string(PATH_MAX, 'x') + ":" + folder);
    const std::string short_one = make("md");
    EXPECT_EQ(found("md"), short_one) << "a part that is too long is passed over";
}

class Recordable : public Program {
protected:
    // A program that says of itself what the header and its one segment say.
    std::string elf(unsigned machine, unsigned char word_class, unsigned segment) {
        ElfW(Ehdr) header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = word_class;
        header.e_machine = static_cast<decltype(header.e_machine)>(machine);
        header.e_phoff = sizeof header;
        header.e_phentsize = sizeof(ElfW(Phdr));
        header.e_phnum = 1;
        ElfW(Phdr) first{};
        first.p_type = segment;
        std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
        return make("program", 0755, bytes.append(reinterpret_cast<const char*>(&first), sizeof first));
    }
    static std::string reason(const std::string& path) {
        const char* why = why_not_reached(path.c_str());
        return why != nullptr ? why : "";
    }
    static ElfW(Ehdr) own_header() {
        ElfW(Ehdr) own{};
        std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&own), sizeof own);
        return own;
    }
};

TEST_F(Recordable, IsWhatTheLoaderPutsLibrariesInto) {
    const auto own = own_header();
    const unsigned char word = own.e_ident[EI_CLASS];
    EXPECT_EQ(reason("/bin/sh"), "");
    EXPECT_EQ(reason(elf(own.e_machine, word, PT_INTERP)), "");
    EXPECT_NE(reason(elf(own.e_machine, word, PT_LOAD)).find("statically linked"), std::string::npos);
    EXPECT_NE(reason(elf(own.e_machine + 1U, word, PT_INTERP)).find("a different architecture"), std::string::npos);
    EXPECT_NE(reason(elf(own.e_machine, ELFCLASS32, PT_INTERP)).find("a different architecture"), std::string::npos);
}

TEST_F(Recordable, IsWhatCannotBeTold) {
    EXPECT_EQ(reason(make("script")), "") << "its interpreter may be";
    EXPECT_EQ(reason(make("empty", 0755, "")), "");
    EXPECT_EQ(reason(make("cut", 0755, "\177ELF")), "");
    EXPECT_EQ(reason(folder + "/nowhere"), "") << "whatever is wrong, execvp says it";
}

}  // namespace
}  // namespace clearway::launcher
