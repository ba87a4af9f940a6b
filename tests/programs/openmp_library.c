// A library with parallel regions, and an OpenMP runtime that nobody but it sees: as Python's wheels bring them.
#include <omp.h>

double sum_of_squares(int n);

double sum_of_squares(int n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2) schedule(static)
    for (int i = 0; i < n; ++i) sum += (double)i * i;
    return sum;
}
