// Prints a number, and with an argument writes behind its memory: for builds with -fsanitize.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
    (void)arguments;
    FILE* file = fopen("/dev/null", "w");
    char* ten = malloc(10);
    if (file == NULL || ten == NULL) return 2;
    fprintf(file, "hello\n");
    fclose(file);
    printf("%d\n", ten[count > 1 ? 10 : 1] = 3);
    free(ten);
    return 0;
}
