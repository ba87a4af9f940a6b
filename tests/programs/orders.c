// Two ranks whose messages are correct in MPI, and wait for ever where a replay posts a receive later, or waits for a
// request earlier, than they do: argv[1] says in which order. The large messages are sent when they are expected.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kLarge = 200000, kSmall = 8 };

static char in[2][kLarge], out[2][kLarge];
static int rank, peer;

static MPI_Request isend(int tag, int bytes) {
    MPI_Request request;
    MPI_Isend(out[tag], bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD, &request);
    return request;
}

static MPI_Request irecv(int from, int tag, int bytes) {
    MPI_Request request;
    MPI_Irecv(in[tag], bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, &request);
    return request;
}

static void send(int tag, int bytes) { MPI_Send(out[tag], bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD); }

static void recv(int tag, int bytes) {
    MPI_Recv(in[tag], bytes, MPI_CHAR, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for(MPI_Request request) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

// The exchange in the middle must not wait for the receive around it.
static void exchange_inside(void) {
    MPI_Request around = rank == 0 ? irecv(peer, 1, kLarge) : MPI_REQUEST_NULL;
    MPI_Sendrecv(out[0], kLarge, MPI_CHAR, peer, 0, in[0], kLarge, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0) send(0, kSmall);
    if (rank == 1) recv(0, kSmall);
    if (rank == 1) send(1, kLarge);
    if (rank == 0) wait_for(around);
}

// Both messages are expected before either is sent, and awaited one by one.
static void one_by_one(void) {
    MPI_Request first = irecv(peer, 0, kLarge), second = irecv(peer, 1, kLarge);
    send(0, kLarge);
    wait_for(first);
    send(1, kLarge);
    wait_for(second);
}

// The receiver learns from the status alone who sent.
static void from_anyone(void) {
    MPI_Request request = irecv(MPI_ANY_SOURCE, 0, kLarge);
    send(0, kLarge);
    wait_for(request);
}

// What rank 0 has begun to send is received after what it sends later.
static void sent_last(void) {
    MPI_Request sent;
    if (rank == 0) {
        MPI_Request expected = irecv(peer, 0, kLarge);
        sent = isend(1, kLarge);
        wait_for(expected);
        send(0, kSmall);
    } else {
        sent = isend(0, kLarge);
        recv(0, kSmall);
        recv(1, kLarge);
    }
    wait_for(sent);
}

static void buffered(void) {
    static char room[kLarge + 4096];
    int size = sizeof room;
    char* detached;
    MPI_Buffer_attach(room, size);
    MPI_Bsend(out[0], kLarge, MPI_CHAR, peer, 0, MPI_COMM_WORLD);
    recv(0, kLarge);
    MPI_Buffer_detach(&detached, &size);
}

static void persistent(void) {
    MPI_Request request;
    MPI_Recv_init(in[0], kLarge, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; ++i) {
        MPI_Start(&request);
        send(0, kLarge);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

// Communicators of all ranks are all the same to a replay, which must still tell their messages apart.
static void another_world(void) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0) {
        MPI_Send(out[0], 10, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Send(out[0], 20, MPI_CHAR, 1, 0, other);
    } else {
        MPI_Recv(in[0], 20, MPI_CHAR, 0, 0, other, MPI_STATUS_IGNORE);
        MPI_Recv(in[0], 10, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&other);
}

static void* receive_large(void* unused) {
    recv(0, kLarge);
    return unused;
}

// One thread waits for what the other side sends when it has heard from the other thread.
static void threads(void) {
    if (rank == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, receive_large, NULL);
        usleep(100 * 1000);
        send(1, kSmall);
        pthread_join(thread, NULL);
    } else {
        recv(1, kSmall);
        send(0, kLarge);
    }
}

static const struct {
    const char* name;
    void (*run)(void);
} kOrders[] = {
    {"exchange-inside", exchange_inside},
    {"one-by-one", one_by_one},
    {"from-anyone", from_anyone},
    {"sent-last", sent_last},
    {"buffered", buffered},
    {"persistent", persistent},
    {"another-world", another_world},
    {"threads", threads},
};

int main(int argc, char** argv) {
    int granted;
    if (argc < 2) return EXIT_FAILURE;
    MPI_Init_thread(&argc, &argv, strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &granted);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    for (size_t i = 0; i < sizeof kOrders / sizeof kOrders[0]; ++i)
        if (strcmp(argv[1], kOrders[i].name) == 0) kOrders[i].run();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
