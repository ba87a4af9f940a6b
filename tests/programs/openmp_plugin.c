// A library with regions of as many threads as the environment says.
double sum_of_squares(int n);

double sum_of_squares(int n) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 0; i < n; ++i) sum += (double)i * i;
    return sum;
}
