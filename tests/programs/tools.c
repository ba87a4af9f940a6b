// A program that is a tool itself: MPI_T, MPI_Pcontrol, a PMPI wrapper of its own, attribute callbacks that
// communicate during MPI_Finalize, an own reduction, a generalised request.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, barriers;

int MPI_Barrier(MPI_Comm comm) {
    ++barriers;
    return PMPI_Barrier(comm);
}

static void own_sum(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((long*)inout)[i] += 2 * ((long*)in)[i];
}

static int last_words(MPI_Comm comm, int key, void* value, void* state) {
    (void)key, (void)value, (void)state;
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d callback in MPI_Finalize: %d\n", rank, sum);
    return MPI_SUCCESS;
}

static int query(void* state, MPI_Status* status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void* state) {
    (void)state;
    return MPI_SUCCESS;
}

static int nothing_to_cancel(void* state, int complete) {
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char** argv) {
    int provided, variables = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_cvar_get_num(&variables);
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    MPI_Pcontrol(2, "extra", 3);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Op operation;
    long out[2] = {rank + 1, rank + 2}, in[2];
    MPI_Op_create(own_sum, 0, &operation);
    MPI_Allreduce(out, in, 2, MPI_LONG, operation, MPI_COMM_WORLD);
    MPI_Op_free(&operation);

    MPI_Request request;
    MPI_Status status;
    int count = 0, key = 0;
    MPI_Grequest_start(query, nothing, nothing_to_cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_elements(&status, MPI_INT, &count);

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last_words, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    printf("rank %d variables %s sum %ld %ld count %d barriers %d\n", rank, variables > 0 ? "some" : "none", in[0],
           in[1], count, barriers);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
