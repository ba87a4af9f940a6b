// What clearway-record reads from its environment, and what it leaves there for the program.
#include <cerrno>
#include <climits>
#include <set>

#include "launcher/flow.hpp"
#include "launcher/io_cache.hpp"
#include "launcher/job_identity.hpp"
#include "launcher/libraries.hpp"
#include "launcher/open_mpi_words.hpp"
#include "launcher/run_directory.hpp"
#include "launcher/run_name.hpp"
#include "launcher/testing/environment.hpp"

namespace clearway::launcher {
namespace {

using Environment = std::vector<std::pair<const char*, const char*>>;

class JobToken : public InEnvironment {
protected:
    static std::string token(const Environment& environment) {
        clearenv();
        for (const auto& [name, value] : environment) setenv(name, value, 1);
        return find_job_token().text;
    }
};

TEST_F(JobToken, IsTheSameInAllRanksOfAJob) {
    const std::string token_of_zero = token({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}});
    EXPECT_EQ(token_of_zero.size(), 16U);
    EXPECT_EQ(token({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "5"}, {"HOME", "/x"}}),
              token_of_zero);
    // Of what starts its ranks, where nothing else is known: they are its children, and we are one.
    EXPECT_EQ(token({{"PMI_RANK", "0"}}), token({{"PMI_RANK", "1"}}));
    EXPECT_NE(token({{"PMI_RANK", "0"}}), token({})) << "without a launcher this process is the job";
}

TEST_F(JobToken, IsAnotherInAnotherJob) {
    const Environment jobs[] = {
        {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}},
        {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "1"}},
        {{"SLURM_JOB_ID", "70"}, {"SLURM_STEP_ID", ""}},
        {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_CLUSTER_NAME", "a"}},
        {{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}, {"SLURM_RESTART_COUNT", "1"}},  // requeued
        {{"PMIX_NAMESPACE", "4026531841"}},
        {{"PMIX_NAMESPACE", "4026531841"}, {"OMPI_MCA_orte_precondition_transports", "a-b"}},
        {{"PMIX_NAMESPACE", "slurm.7.0"}},
        {{"PMIX_NAMESPACE", "slurm.7.0"}, {"SLURM_RESTART_COUNT", "1"}},
        {{"I_MPI_HYDRA_UUID", "4026531841"}},
        {{"PALS_APID", "4026531841"}},
        {{"FLUX_JOB_ID", "4026531841"}},
    };
    std::set<std::string> tokens;
    for (const Environment& job : jobs) tokens.insert(token(job));
    EXPECT_EQ(tokens.size(), std::size(jobs));
}

// Ranks of one mpirun see Slurm's variables on some hosts and not on others.
TEST_F(JobToken, IsTheLaunchersWhereASchedulerHasOneToo) {
    EXPECT_EQ(token({{"PMIX_NAMESPACE", "prterun-1"}, {"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}}),
              token({{"PMIX_NAMESPACE", "prterun-1"}, {"SLURM_RESTART_COUNT", "3"}}));
}

TEST_F(JobToken, IsSpokenForByTheFirstRank) {
    EXPECT_TRUE(speaks_for_job() && speaks_for_host()) << "outside MPI";
    set("PMI_RANK", "4");
    set("MPI_LOCALRANKID", "0");
    EXPECT_FALSE(speaks_for_job());
    EXPECT_TRUE(speaks_for_host());
    set("MPI_LOCALRANKID", "1");
    EXPECT_FALSE(speaks_for_host());
    set("OMPI_COMM_WORLD_LOCAL_RANK", "0");
    EXPECT_TRUE(speaks_for_host()) << "srun around mpirun: the inner launcher counts";
}

class Preloading : public InEnvironment {};

TEST_F(Preloading, ComesBeforeWhatIsPreloadedAndOnce) {
    EXPECT_TRUE(preload("/lib/libclearway-flow.so"));
    EXPECT_EQ(get("LD_PRELOAD"), "/lib/libclearway-flow.so");
    EXPECT_TRUE(preload("/lib/libclearway.so"));
    EXPECT_TRUE(preload("/lib/libclearway-flow.so"));
    EXPECT_EQ(get("LD_PRELOAD"), "/lib/libclearway.so:/lib/libclearway-flow.so");
    set("LD_PRELOAD", "");
    EXPECT_TRUE(preload("/lib/libclearway.so"));
    EXPECT_EQ(get("LD_PRELOAD"), "/lib/libclearway.so") << "an empty part would be the working directory";
}

TEST_F(Preloading, ForgetsAFileWhereverItIs) {
    set("LD_PRELOAD", "/site/lib/libclearway.so:/lib/other.so /mine/libclearway.so:/lib/libclearway.so.not");
    forget_preloaded("libclearway.so");
    EXPECT_EQ(get("LD_PRELOAD"), "/lib/other.so:/lib/libclearway.so.not");
    set("LD_PRELOAD", "/site/lib/libclearway.so");
    forget_preloaded("libclearway.so");
    EXPECT_EQ(std::getenv("LD_PRELOAD"), nullptr);
}

TEST_F(Preloading, NeedsAPathThatTheVariableCanHold) {
    EXPECT_TRUE(is_preloadable("/opt/clear-way_1.0/lib/libclearway.so"));
    for (const char* path : {"/opt/my software/lib.so", "/opt/a:b/lib.so", "/opt/$ORIGIN/lib.so", "/opt/a\tb/lib.so"})
        EXPECT_FALSE(is_preloadable(path)) << path;
}

TEST_F(Preloading, OfFlowAndCacheIsAskedForInEitherWay) {
    Options options;
    EXPECT_FALSE(wants_flow(options) || wants_io_cache(options));
    set("CLEARWAY_FLOW", "off");
    set("CLEARWAY_IO_CACHE", "off");
    EXPECT_FALSE(wants_flow(options) || wants_io_cache(options));
    set("CLEARWAY_FLOW", "on");
    set("CLEARWAY_IO_CACHE", "much");
    EXPECT_TRUE(wants_flow(options) && wants_io_cache(options));
    EXPECT_STREQ(wrong_io_cache(options), "much");
    options.io_cache = "2Gi";
    EXPECT_EQ(wrong_io_cache(options), nullptr) << "the option counts";
    EXPECT_EQ(wrong_socket_options(), nullptr);
    set("CLEARWAY_FLOW_SOCKETS", "nonsense=1");
    EXPECT_STREQ(wrong_socket_options(), "nonsense=1");
}

class RunDirectory : public InEnvironment {
protected:
    std::string chosen(const char* given, const char* program, std::size_t capacity = PATH_MAX) {
        std::vector<char> path(capacity);
        error = choose_run_directory(given, program, "0123456789abcdef", path.data(), capacity);
        return error == 0 ? path.data() : "";
    }
    int error = 0;
};

TEST_F(RunDirectory, IsAbsoluteAndNamedForProgramAndJob) {
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    EXPECT_EQ(chosen("/runs/a", "md"), "/runs/a");
    EXPECT_EQ(chosen("runs/a", "md"), folder + "/runs/a");
    EXPECT_EQ(chosen(nullptr, "/opt/bin/gmx_mpi"), folder + "/clearway-gmx_mpi-01234567");
    EXPECT_EQ(chosen(nullptr, "a b;c\nd"), folder + "/clearway-a_b_c_d-01234567") << "it ends up in shells";
    EXPECT_EQ(chosen(nullptr, std::string(500, 'x').c_str()).size(), folder.size() + 1 + 9 + 64 + 9);
    EXPECT_EQ(chosen("/runs/a", "md", 8), "/runs/a");
    EXPECT_EQ(chosen("/runs/a", "md", 7), "");
    EXPECT_EQ(error, ENAMETOOLONG);
    std::filesystem::current_path(before);
}

TEST_F(RunDirectory, HasTheNumberOfTheJobThatSlurmStarts) {
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    clearenv();
    setenv("SLURM_JOB_ID", "1234", 1);
    setenv("SLURM_PROCID", "0", 1);
    EXPECT_EQ(chosen(nullptr, "md"), folder + "/clearway-md-01234567") << "an mpirun in it starts ranks elsewhere";
    setenv("SLURM_STEP_ID", "0", 1);
    EXPECT_EQ(chosen(nullptr, "md"), folder + "/clearway-md-1234-01234567");
    setenv("SLURM_ARRAY_JOB_ID", "1230", 1);
    setenv("SLURM_ARRAY_TASK_ID", "7", 1);
    EXPECT_EQ(chosen(nullptr, "md"), folder + "/clearway-md-1230_7-01234567");
    setenv("PMIX_NAMESPACE", "prterun-1", 1);
    EXPECT_EQ(chosen(nullptr, "md"), folder + "/clearway-md-01234567");
    std::filesystem::current_path(before);
}

class RunName : public InEnvironment {
protected:
    static std::string filled(const char* given, std::size_t capacity = 256) {
        std::vector<char> text(capacity);
        return fill_in_run_name(given, text.data(), capacity) ? text.data() : "(too long)";
    }
};

TEST_F(RunName, TakesThePatternsOfSbatch) {
    clearenv();
    EXPECT_EQ(filled("run-%j/100%"), "run-%j/100%") << "outside of a job nothing is a pattern";
    setenv("SLURM_JOB_ID", "1234", 1);
    setenv("SLURM_ARRAY_JOB_ID", "1230", 1);
    setenv("SLURM_ARRAY_TASK_ID", "7", 1);
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("SLURM_JOB_NAME", "../../a b", 1);
    setenv("SLURM_JOB_NODELIST", "n[03-04,7],gpu1", 1);
    EXPECT_EQ(filled("run-%j/%A_%3a-%N-%n"), "run-1234/1230_007-n03-0");
    EXPECT_EQ(filled("%J %6j %% %q %"), "1234.0 001234 % %q %");
    EXPECT_EQ(filled("/runs/%x"), "/runs/___.._a_b") << "its name is anybody's";
    EXPECT_EQ(filled("%j", 4), "(too long)");
    EXPECT_EQ(filled("%j", 5), "1234");
}

TEST_F(RunName, HasTheNumbersOfGridEngine) {
    clearenv();
    for (const auto& [name, value] : Environment{{"JOB_ID", "12"}, {"JOB_NAME", "petask"}, {"NSLOTS", "2"}})
        setenv(name, value, 1);
    EXPECT_EQ(filled("run-%j"), "run-%j") << "JOB_ID alone is anybody's";
    setenv("SGE_TASK_ID", "undefined", 1);
    EXPECT_EQ(filled("run-%j-%A-%a"), "run-12-12-0");
    setenv("SGE_TASK_ID", "3", 1);
    EXPECT_EQ(filled("%J/%A_%3a"), "12.3/12_003");
    EXPECT_EQ(filled("%x-%N"), "%x-%N") << "the name is another on each host";
}

TEST_F(RunName, OfAJobThatIsRequeuedIsAnother) {
    clearenv();
    for (const char* name : {"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID"}) setenv(name, "1", 1);
    setenv("SLURM_RESTART_COUNT", "0", 1);
    EXPECT_EQ(filled("run-%j"), "run-1");
    setenv("SLURM_RESTART_COUNT", "1", 1);
    EXPECT_EQ(filled("run-%j"), "run-1-2");
    unsetenv("SLURM_STEP_ID");
    EXPECT_EQ(filled("run"), "run") << "not all ranks of an mpirun see the number";
}

TEST_F(RunDirectory, IsMadeByWhicheverRankComesFirst) {
    const std::string deep = folder + "/a/b/c";
    EXPECT_EQ(make_run_directory(deep.c_str()), 0);
    EXPECT_EQ(make_run_directory(deep.c_str()), 0);
    EXPECT_TRUE(std::filesystem::is_directory(deep));
    const std::string file = make("file");
    EXPECT_EQ(make_run_directory(file.c_str()), ENOTDIR);
    EXPECT_EQ(make_run_directory((file + "/run").c_str()), ENOTDIR);
    EXPECT_EQ(make_run_directory("/proc/self/clearway"), ENOENT);
    EXPECT_EQ(make_run_directory(("/" + std::string(5000, 'x')).c_str()), ENAMETOOLONG);
}

class OpenMpiWords : public InEnvironment {};

TEST_F(OpenMpiWords, TellOfTheProgramAndNotOfTheRecorder) {
    char path[] = "/opt/md", one[] = "-i", two[] = "a b";
    char* with[] = {path, one, two, nullptr};
    char* without[] = {path, nullptr};
    tell_of(with);
    EXPECT_EQ(get("OMPI_COMMAND"), "(not set)");
    set("OMPI_COMMAND", "clearway-record");
    set("OMPI_ARGV", "-o run /opt/md -i a b");
    tell_of(with);
    EXPECT_EQ(get("OMPI_COMMAND"), "md");
    EXPECT_EQ(get("OMPI_ARGV"), "-i a b");
    tell_of(without);
    EXPECT_EQ(get("OMPI_ARGV"), "-i a b") << "of a script that starts the recorder they were right";
    set("OMPI_COMMAND", "clearway-record");
    tell_of(without);
    EXPECT_EQ(get("OMPI_ARGV"), "(not set)");
    set("OMPI_COMMAND", "/bin/clearway-record");
    tell_of(with);
    EXPECT_EQ(get("OMPI_COMMAND"), "/opt/md") << "as Open MPI 5 has it";
    EXPECT_EQ(get("OMPI_ARGV"), "-i a b");
}

}  // namespace
}  // namespace clearway::launcher
