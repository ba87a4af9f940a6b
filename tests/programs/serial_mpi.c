// A library that stands in for MPI in serial builds, as libmpiseq and LAMMPS's STUBS do (-DSTUBS), and a program built
// with it.
#include <stdio.h>

int MPI_Init(int* argc, char*** argv);
int MPI_Allreduce(const void* out, void* in, int count, int type, int operation, int comm);
int MPI_Finalize(void);

#ifdef STUBS
int MPI_Init(int* argc, char*** argv) { return argc == NULL || argv == NULL; }
int MPI_Allreduce(const void* out, void* in, int count, int type, int operation, int comm) {
    for (int i = 0; i < count; ++i) ((int*)in)[i] = ((const int*)out)[i];
    return type + operation + comm;
}
int MPI_Finalize(void) { return 0; }
#else
int main(int argc, char** argv) {
    int mine = 42, all = 0, wrong = MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; ++i) wrong += MPI_Allreduce(&mine, &all, 1, 0, 0, 0);
    wrong += MPI_Finalize();
    printf("sum %d wrong %d\n", all, wrong);
    return wrong;
}
#endif
