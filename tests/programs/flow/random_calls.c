// Random collective calls, each done twice: by the MPI's own algorithm, then as Clearway is told or chooses. Every byte
// of the receive buffer and of what lies around it must be the same, and the send buffer untouched. Some calls have
// types with which an MPI's own collectives fail (Open MPI 4.1.4: negative extents; MPI_Allgatherv with elements of
// different size on the ranks): there messages, one for each block, tell what is right.
//   random_calls CALLS SEED OPERATION=CANDIDATE...
// An operation of "any" is any; a candidate of "" is the selector's choice.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "random.h"

typedef enum { ALLTOALL, ALLTOALLV, ALLTOALLW, ALLGATHER, ALLGATHERV, OPERATIONS } Operation;
static const char* const kNames[] = {"alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv"};

enum { WORLD, DUPLICATE, REVERSED, HALF, SELF, BETWEEN, COMMS };
static const char* const kCommNames[] = {"world", "duplicate", "reversed", "half", "self", "between"};

typedef struct {
    MPI_Comm comm;
    int is_inter;
    int peers;                  // ranks that blocks go to and come from
    int peer_ids[MOST_BLOCKS];  // their ranks in MPI_COMM_WORLD
} Group;

typedef struct {
    Operation operation;
    int large, in_place, has_common_types;
    const char* candidate;
    const char* comm_name;
    Group* group;
    uint64_t key;  // what block sizes are drawn from
    int most_units, one_unit_types;
    Unit unit;
} Request;

static int (*force)(const char*);
static int world_rank, world_size;

static void fail(const Request* request, long call, const char* what) {
    fprintf(stderr, "rank %d call %ld: %s\n  MPI_%s%s%s on %s, candidate '%s'\n", world_rank, call, what,
            kNames[request->operation], request->large ? "_c" : "", request->in_place ? " in place" : "",
            request->comm_name, request->candidate);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static Group describe(MPI_Comm comm) {
    Group group = {.comm = comm};
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Group members, world;
    MPI_Comm_test_inter(comm, &group.is_inter);
    if (group.is_inter)
        MPI_Comm_remote_group(comm, &members);
    else
        MPI_Comm_group(comm, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(members, &group.peers);
    int ranks[MOST_BLOCKS];
    for (int i = 0; i < group.peers; ++i) ranks[i] = i;
    MPI_Group_translate_ranks(members, group.peers, ranks, world, group.peer_ids);
    MPI_Group_free(&members);
    MPI_Group_free(&world);
    return group;
}

// A communicator's first calls are the MPI's.
static void begin_flow(const Group* group) {
    int all[MOST_BLOCKS];
    for (int i = 0; i < 3; ++i) MPI_Allgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, group->comm);
}

static void make_groups(Group* groups) {
    MPI_Comm made[COMMS];
    MPI_Comm_dup(MPI_COMM_WORLD, &made[DUPLICATE]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &made[REVERSED]);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &made[HALF]);
    MPI_Comm_dup(MPI_COMM_SELF, &made[SELF]);
    made[WORLD] = MPI_COMM_WORLD;
    made[BETWEEN] = MPI_COMM_NULL;
    if (world_size > 1) MPI_Intercomm_create(made[HALF], 0, MPI_COMM_WORLD, 1 - world_rank % 2, 7, &made[BETWEEN]);
    for (int i = 0; i < COMMS; ++i)
        if (made[i] != MPI_COMM_NULL) {
            groups[i] = describe(made[i]);
            begin_flow(&groups[i]);
        }
}

static void free_groups(Group* groups) {
    MPI_Comm_disconnect(&groups[DUPLICATE].comm);
    MPI_Comm_free(&groups[REVERSED].comm);
    if (world_size > 1) MPI_Comm_free(&groups[BETWEEN].comm);
    MPI_Comm_free(&groups[HALF].comm);
    MPI_Comm_free(&groups[SELF].comm);
}

// Units of the block from one rank to another; 0 for some. Of a collective with equal blocks ranks do not matter.
static int units_of(const Request* request, int from, int to) {
    uint64_t key = request->key;
    if (request->operation == ALLGATHERV) key = mix(key ^ (uint64_t)(from + 1));
    if (request->operation == ALLTOALLV || request->operation == ALLTOALLW) {
        const int low = request->in_place && to < from ? to : from, high = request->in_place && to < from ? from : to;
        key = mix(key ^ (uint64_t)(low * 1000 + high + 1));
        if (key % 4 == 0) return 0;
    }
    const int units = (int)(mix(key) % (uint64_t)(request->most_units + 1));
    return request->one_unit_types ? units : units - units % 6;
}

static void lay_out(const Request* request, Stream* own, Layout* send, Layout* receive) {
    const Group* group = request->group;
    const Operation operation = request->operation;
    const int gathers = operation == ALLGATHER || operation == ALLGATHERV;
    int out[MOST_BLOCKS], in[MOST_BLOCKS];
    for (int i = 0; i < group->peers; ++i) {
        out[i] = units_of(request, world_rank, group->peer_ids[i]);
        in[i] = units_of(request, group->peer_ids[i], world_rank);
    }
    const int is_absolute = !request->in_place && chance(own, 20);
    const Typing typing = operation != ALLTOALLW ? ONE_TYPE : is_absolute ? ABSOLUTE : TYPE_PER_BLOCK;
    Shape shape = {request->unit, request->one_unit_types ? 1 : 3, request->has_common_types, 1, typing};
    shape.follow = gathers || operation == ALLTOALL;
    make_layout(send, own, shape, gathers ? 1 : group->peers, out);
    shape.follow = operation == ALLTOALL || operation == ALLGATHER;
    make_layout(receive, own, shape, group->peers, in);
}

static int call(const Request* request, Layout* send, Layout* receive) {
    void* from = request->in_place ? MPI_IN_PLACE : send->base;
    MPI_Comm comm = request->group->comm;
#if MPI_VERSION >= 4
    if (request->large) switch (request->operation) {
            case ALLTOALL:
                return MPI_Alltoall_c(from, send->counts[0], send->handles[0], receive->base, receive->counts[0],
                                      receive->handles[0], comm);
            case ALLTOALLV:
                return MPI_Alltoallv_c(from, send->large_counts, send->large_displacements, send->handles[0],
                                       receive->base, receive->large_counts, receive->large_displacements,
                                       receive->handles[0], comm);
            case ALLTOALLW:
                return MPI_Alltoallw_c(from, send->large_counts, send->large_displacements, send->handles,
                                       receive->base, receive->large_counts, receive->large_displacements,
                                       receive->handles, comm);
            case ALLGATHER:
                return MPI_Allgather_c(from, send->counts[0], send->handles[0], receive->base, receive->counts[0],
                                       receive->handles[0], comm);
            default:
                return MPI_Allgatherv_c(from, send->counts[0], send->handles[0], receive->base, receive->large_counts,
                                        receive->large_displacements, receive->handles[0], comm);
        }
#endif
    switch (request->operation) {
        case ALLTOALL:
            return MPI_Alltoall(from, send->counts[0], send->handles[0], receive->base, receive->counts[0],
                                receive->handles[0], comm);
        case ALLTOALLV:
            return MPI_Alltoallv(from, send->counts, send->displacements, send->handles[0], receive->base,
                                 receive->counts, receive->displacements, receive->handles[0], comm);
        case ALLTOALLW:
            return MPI_Alltoallw(from, send->counts, send->displacements, send->handles, receive->base, receive->counts,
                                 receive->displacements, receive->handles, comm);
        case ALLGATHER:
            return MPI_Allgather(from, send->counts[0], send->handles[0], receive->base, receive->counts[0],
                                 receive->handles[0], comm);
        default:
            return MPI_Allgatherv(from, send->counts[0], send->handles[0], receive->base, receive->counts,
                                  receive->displacements, receive->handles[0], comm);
    }
}

static void* address_of(const Layout* layout, int block, int in_bytes) {
    MPI_Aint lower_bound, extent;
    MPI_Type_get_extent(layout->handles[block], &lower_bound, &extent);
    return (char*)layout->base + layout->displacements[block] * (in_bytes ? 1 : extent);
}

// What the collective means, a message for each block of `from`.
static int send_blocks(const Request* request, const Layout* from, Layout* receive) {
    const int gathers = request->operation == ALLGATHER || request->operation == ALLGATHERV;
    const int in_bytes = request->operation == ALLTOALLW;
    MPI_Comm comm = request->group->comm;
    MPI_Request requests[2 * MOST_BLOCKS];
    int rank, code = MPI_SUCCESS;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < receive->blocks; ++i) {
        const int block = !gathers ? i : request->in_place ? rank : 0;
        code |= MPI_Irecv(address_of(receive, i, in_bytes), receive->counts[i], receive->handles[i], i, 0, comm,
                          &requests[2 * i]);
        code |= MPI_Isend(address_of(from, block, in_bytes), from->counts[block], from->handles[block], i, 0, comm,
                          &requests[2 * i + 1]);
    }
    return code | MPI_Waitall(2 * receive->blocks, requests, MPI_STATUSES_IGNORE);
}

// In place, the blocks are sent from a copy of where they will be received.
static int send_blocks_in_place(const Request* request, Layout* receive, unsigned char* copy) {
    Layout from = *receive;
    from.base = copy + ((unsigned char*)receive->base - receive->memory);
    return send_blocks(request, &from, receive);
}

static int do_reference(const Request* request, Layout* send, Layout* receive, unsigned char* copy_of_receive) {
    if (request->has_common_types) return call(request, send, receive);
    if (request->in_place) return send_blocks_in_place(request, receive, copy_of_receive);
    return send_blocks(request, send, receive);
}

static void fill(Stream* stream, unsigned char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) bytes[i] = (unsigned char)draw(stream);
}

static unsigned char* copy_of(const Layout* layout) {
    return memcpy(malloc(layout->memory_bytes), layout->memory, layout->memory_bytes);
}

static void check(const Request* request, Stream* own, long number) {
    Layout send, receive;
    lay_out(request, own, &send, &receive);
    fill(own, send.memory, send.memory_bytes);
    fill(own, receive.memory, receive.memory_bytes);
    unsigned char *sent = copy_of(&send), *before = copy_of(&receive);

    force("own");
    if (do_reference(request, &send, &receive, before) != MPI_SUCCESS) fail(request, number, "the MPI's own failed");
    unsigned char* expected = copy_of(&receive);
    memcpy(receive.memory, before, receive.memory_bytes);
    force(request->candidate);
    if (call(request, &send, &receive) != MPI_SUCCESS) fail(request, number, "failed");

    if (memcmp(receive.memory, expected, receive.memory_bytes) != 0) fail(request, number, "other bytes received");
    if (memcmp(send.memory, sent, send.memory_bytes) != 0) fail(request, number, "the send buffer was written");
    free(sent);
    free(before);
    free(expected);
    free_layout(&send);
    free_layout(&receive);
}

static Unit pick_unit(Stream* shared, int is_common) {
    const MPI_Datatype types[] = {MPI_BYTE, MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_2INT, MPI_DOUBLE_INT};
    Unit unit = {.type = types[pick(shared, is_common ? 5 : 7)]};
    MPI_Aint lower_bound;
    MPI_Type_get_extent(unit.type, &lower_bound, &unit.extent);
    return unit;
}

static int operation_of(const char* text) {
    const size_t length = strcspn(text, "=");
    for (int i = 0; i < OPERATIONS; ++i)
        if (strlen(kNames[i]) == length && strncmp(kNames[i], text, length) == 0) return i;
    return OPERATIONS;
}

static const char* candidate_of(const char* text) { return strchr(text, '=') + 1; }

// 4.1.4's own reads outside the buffer, or cuts messages off.
static int is_broken_in_open_mpi(Operation operation, int comm) {
    const int may_be_alone = comm == SELF || (comm == HALF && world_size < 4);
    return operation == ALLTOALLW ? may_be_alone : operation == ALLGATHERV && comm == BETWEEN;
}

static Request make_request(Stream* shared, Group* groups, int candidates, char** texts) {
    const char* text = texts[pick(shared, candidates)];
    const int any = (Operation)pick(shared, OPERATIONS), named = operation_of(text), is_certain = named != OPERATIONS;
    int comm = pick(shared, world_size > 1 ? COMMS : BETWEEN);
    Request request = {.operation = (Operation)(is_certain ? named : any), .candidate = candidate_of(text)};
    if (is_broken_in_open_mpi(request.operation, comm)) comm = WORLD;
    request.large = MPI_VERSION >= 4 && chance(shared, 20);
    request.group = &groups[comm];
    request.comm_name = kCommNames[comm];
    request.in_place = comm != BETWEEN && chance(shared, 25);
    request.key = draw(shared);
    request.most_units = chance(shared, 5) ? 6000 : chance(shared, 30) ? 600 : 24;
    request.one_unit_types = chance(shared, 40);
    // The others are for calls that certainly do not go to the MPI's own.
    request.has_common_types = chance(shared, 30) || !is_certain || comm >= SELF || groups[comm].peers < 2;
    // MPICH 5.0.2's own ring mixes up larger messages of more than two ranks.
    if (request.operation == ALLGATHERV && request.has_common_types) request.most_units = 24;
    request.unit = pick_unit(shared, request.has_common_types);
    return request;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    force = (int (*)(const char*))dlsym(RTLD_DEFAULT, "clearway_flow_force");
    const long calls = argc > 3 ? atol(argv[1]) : 0;
    for (int i = 3; i < argc; ++i)
        if (force == NULL || calls == 0 || strchr(argv[i], '=') == NULL || force(candidate_of(argv[i])) != 0) {
            fprintf(stderr, "cannot force '%s'\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    Stream shared = {mix(strtoull(argv[2], NULL, 10))}, own = {mix(shared.state + (uint64_t)world_rank + 1)};
    Group groups[COMMS];
    make_groups(groups);
    for (long i = 1; i <= calls; ++i) {
        if (i % 500 == 0) {  // handles come back as other communicators
            free_groups(groups);
            make_groups(groups);
        }
        const Request request = make_request(&shared, groups, argc - 3, argv + 3);
        check(&request, &own, i);
    }
    free_groups(groups);
    if (world_rank == 0) printf("%ld calls agree\n", calls);
    MPI_Finalize();
    return 0;
}
