/* Ways by which a file's bytes go elsewhere:  io_outlets FOLDER WAY
 *
 *   quick_exit   a handler of it opens a file, and leaves it open
 *   sendmmsg     another process reads from a descriptor that it was sent
 *   clone        FICLONE, where the file system has it; another process asks how large the file is
 *   clone_range  likewise by FICLONERANGE
 *   by_number    likewise, by syscall
 *   clone3       asks whether the kernel has it
 *
 * Prints what came of it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* folder;
static const char text[] = "written";

static const char* path_of(const char* name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make(const char* name) {
    const int fd = open(path_of(name), O_RDWR | O_CREAT, 0644);
    if (fd < 0 || write(fd, text, sizeof text) != sizeof text) exit(3);
    return fd;
}

static void make_late(void) { make("late"); }

/* Another process gets a byte, and perhaps a descriptor: then it reads from it, else it asks for the size by name. */
static void wait_for_word(int from) {
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    char byte, got[sizeof text] = "";
    struct iovec word = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &word, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    if (recvmsg(from, &message, 0) != 1) exit(4);
    const struct cmsghdr* passed = CMSG_FIRSTHDR(&message);
    struct stat status = {0};
    if (passed != NULL) {
        int fd;
        memcpy(&fd, CMSG_DATA(passed), sizeof fd);
        printf("read %zd of it: %s\n", pread(fd, got, sizeof got, 0), got);
    } else {
        stat(path_of("source"), &status);
        printf("size %ld\n", (long)status.st_size);
    }
    exit(0);
}

static void pass_on(int to, int fd) {
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof fd)];
    } control = {.head = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd)}};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    char byte = 'x';
    struct iovec word = {&byte, 1};
    struct mmsghdr message = {
        {.msg_iov = &word, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control}, 0};
    if (sendmmsg(to, &message, 1, 0) != 1) exit(5);
}

int main(int count, char** words) {
    if (count != 3) return 2;
    folder = words[1];
    const char* way = words[2];
    if (strcmp(way, "clone3") == 0) {
        close(make("source"));
        const long result = syscall(SYS_clone3, NULL, 0L);
        printf("%ld %s\n", result, strerror(errno));
        return 0;
    }
    if (strcmp(way, "quick_exit") == 0) {
        make("source");
        at_quick_exit(make_late);
        quick_exit(0);
    }
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    const pid_t other = fork();
    if (other == 0) wait_for_word(ends[1]);
    const int source = make("source"), copy = make("copy");
    struct file_clone_range range = {.src_fd = source};
    if (strcmp(way, "sendmmsg") == 0) {
        pass_on(ends[0], source);
    } else {
        if (strcmp(way, "clone") == 0) ioctl(copy, FICLONE, source);
        if (strcmp(way, "clone_range") == 0) ioctl(copy, FICLONERANGE, &range);
        if (strcmp(way, "by_number") == 0) syscall(SYS_ioctl, copy, FICLONE, source);
        if (write(ends[0], "x", 1) != 1) return 6;
    }
    waitpid(other, NULL, 0);
    return 0;
}
