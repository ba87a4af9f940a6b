// Rank 0 writes in each of ten steps, while the others wait for it, and says how long that took.
// output WAY CALLS FILE
//   tiny     CALLS writes of 64 bytes to FILE
//   large    the same bytes, 64 kB a write
//   stream   CALLS lines of 64 bytes to FILE by stdio, which keeps back what fills no buffer
//   numbers  CALLS numbers to FILE by stdio, ten digits each
//   unkept   the same to a stream that keeps nothing back
//   sought   CALLS numbers of 8 bytes from FILE by stdio, with a seek before each
//   ahead    the same without seeks
//   lines    CALLS writes of 64 bytes to stdout
//   printed  CALLS lines of 64 bytes to stdout by stdio
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "planted.h"

enum { STEPS = 10, LINE = 64, BLOCK = 1 << 16 };

static char block[BLOCK];
static FILE* stream;
static int file;

static void write_all(long calls, size_t bytes) {
    for (long i = 0; i < calls; ++i)
        if (write(file, block, bytes) != (ssize_t)bytes) abort();
}

static void print_all(long calls) {
    for (long i = 0; i < calls; ++i) fprintf(stream, "%.*s", LINE, block);
}

static void print_numbers(long calls) {
    for (long i = 0; i < calls; ++i) fprintf(stream, "%.10f\n", 1.1 * (double)i);
}

static void read_numbers(const char* path, long calls, int seeks) {
    FILE* numbers = fopen(path, "r");
    double number;
    for (long i = 0; i < calls; ++i) {
        if (seeks) fseek(numbers, i * (long)sizeof number, SEEK_SET);
        if (fread(&number, sizeof number, 1, numbers) != 1) abort();
    }
    fclose(numbers);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const char* way = argv[1];
    const long calls = atol(argv[2]) / STEPS;
    int rank;
    double writing = 0;
    memset(block, 'x', sizeof block);
    for (size_t end = LINE; end <= sizeof block; end += LINE) block[end - 1] = '\n';
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int numbers = strcmp(way, "numbers") == 0;
    const int by_stream = numbers || strcmp(way, "stream") == 0 || strcmp(way, "unkept") == 0;
    if (rank == 0 && by_stream) stream = fopen(argv[3], "w");
    if (rank == 0 && strcmp(way, "printed") == 0) stream = stdout;
    if (stream != NULL && strcmp(way, "unkept") == 0) setvbuf(stream, NULL, _IONBF, 0);
    if (rank == 0 && stream == NULL)
        file = strcmp(way, "lines") == 0 ? STDOUT_FILENO : open(argv[3], O_CREAT | O_TRUNC | O_WRONLY, 0600);
    const int sought = strcmp(way, "sought") == 0, reads = sought || strcmp(way, "ahead") == 0;
    if (rank == 0 && reads) write_all(calls * (long)sizeof(double) / BLOCK + 1, BLOCK);
    for (int step = 0; step < STEPS; ++step) {
        const double begin = now_s();
        if (rank == 0 && reads)
            read_numbers(argv[3], calls, sought);
        else if (stream != NULL && numbers)
            print_numbers(calls);
        else if (stream != NULL)
            print_all(calls);
        else if (rank == 0 && strcmp(way, "large") == 0)
            write_all(calls * LINE / BLOCK, BLOCK);
        else if (rank == 0)
            write_all(calls, LINE);
        writing += now_s() - begin;
        compute_s(0.05);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (by_stream && stream != NULL) fclose(stream);
    FILE* facts = facts_open(rank);
    fact(facts, "writing", rank == 0 ? writing : 0);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
