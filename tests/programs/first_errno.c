/* Says what errno is where main begins: 0, by C's standard. Programs ask strtol by it without setting it first. */
#include <errno.h>
#include <stdio.h>

int main(void) {
    int first = errno;
    printf("%d\n", first);
    return 0;
}
