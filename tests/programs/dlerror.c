// What the dynamic linker has to say of a library that is not there, printed as programs do, and after other calls.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    const char* before = dlerror();
    printf("%s\n", before != NULL ? before : "nothing");
    dlopen("no-such-library.so", RTLD_NOW);
    fprintf(stdout, "%s\n", dlerror());
    dlopen("no-such-library.so", RTLD_NOW);
    const char* message = dlerror();
    puts(message);
    fputs(message, stdout);
    putchar('\n');
    dlopen("no-such-library.so", RTLD_NOW);
    struct stat status;
    char path[] = "dlerror-XXXXXX";
    const int fd = mkstemp(path);
    if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &status) != 0) return 1;
    lseek(fd, 0, SEEK_SET);
    close(fd);
    FILE* file = fopen(path, "r+");
    if (file == NULL || fgetc(file) != 'x') return 1;
    fclose(file);
    unlink(path);
    usleep(1);
    message = dlerror();
    printf("%s\n", message != NULL ? message : "nothing");
    return 0;
}
