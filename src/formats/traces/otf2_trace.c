/* OTF2 traces (Eschweiler et al. 2012), as Score-P writes them: read by the library of OTF2, if bough was
 * built with it. Definitions first: the locations that are MPI ranks, groups and communicators, and which
 * regions are MPI. Then the events of one rank after the other (otf2_events.h). */
#include "formats/traces/recorded_readers.h"

#include "base/memory/memory.h"

#ifndef BOUGH_OTF2

bough_status otf2_read(const char *path, recording *out, bough_error *error) {
    (void)out;
    return bough_fail(error, BOUGH_UNSUPPORTED, path,
                      "bough was built without the library of OTF2 (Debian: libopen-trace-format2-dev)");
}

#else

#include "base/memory/index_map.h"
#include "base/status/try.h"
#include "formats/traces/otf2_events.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct group {
    uint64_t *member;
    uint32_t n;
    uint8_t type;
} group;

typedef struct trace {
    const char *path;
    OTF2_Reader *reader;
    recording *out;
    uint64_t resolution, origin;            /* ticks a second; of the first event */
    bough_index_map groups, comms, regions; /* by reference: group, group of a communicator, 1 for MPI */
    group *group;
    size_t group_count;
    arena memory;            /* of groups and maps */
    bool world;              /* group 0 is in use */
    uint32_t locations;      /* the group that lists the locations of ranks */
    bough_index_map of_comm; /* groups of the recording */
    otf2_events events;
    bough_status status;
    bough_error *error;
    char text[200]; /* what the library says */
    bool no_memory; /* it says */
} trace;

/* Callbacks end the reading with an error of ours, which they leave in the trace. */
static OTF2_CallbackCode answer(trace *t, bough_status status) {
    if (!t->status) t->status = status;
    return status ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* ---- definitions ---- */

/* Parameters that the library passes. */
#define REGION                                                                                               \
    OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical, OTF2_StringRef description,          \
        OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags, OTF2_StringRef file,            \
        uint32_t first, uint32_t last
#define GROUP                                                                                                \
    OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,                    \
        OTF2_GroupFlag flags, uint32_t n, const uint64_t *member
#define COMM OTF2_StringRef name, OTF2_GroupRef of, OTF2_CommRef parent, OTF2_CommFlag flags
#define EVENT                                                                                                \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user, OTF2_AttributeList *list
#define MESSAGE    uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes
#define COLLECTIVE OTF2_CollectiveOp kind, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received
#define ERROR                                                                                                \
    const char *file, uint64_t line, const char *function, OTF2_ErrorCode code, const char *format,          \
        va_list arguments
#define UNUSED (void)location, (void)position, (void)list

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t origin, uint64_t length,
                                  uint64_t realtime) {
    trace *t = user;
    (void)length, (void)realtime;
    t->resolution = resolution;
    t->origin = origin;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, REGION) {
    trace *t = user;
    (void)name, (void)canonical, (void)description, (void)role, (void)flags, (void)file, (void)first,
        (void)last;
    if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
    return answer(t, bough_index_map_put(&t->regions, self, 1, t->error));
}

static OTF2_CallbackCode on_group(void *user, GROUP) {
    trace *t = user;
    group g = {.n = n, .type = type};
    (void)name, (void)flags;
    if (paradigm != OTF2_PARADIGM_MPI || type < OTF2_GROUP_TYPE_COMM_LOCATIONS) return OTF2_CALLBACK_SUCCESS;
    bough_status status = arena_grow(&t->memory, &t->group, t->group_count + 1, sizeof *t->group, t->error);
    TRY(arena_alloc(&t->memory, &g.member, n, sizeof *g.member, t->error));
    TRY(bough_index_map_put(&t->groups, self, (uint32_t)t->group_count, t->error));
    if (status) return answer(t, status);
    if (n) memcpy(g.member, member, n * sizeof *member);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) t->locations = (uint32_t)t->group_count;
    t->group[t->group_count++] = g;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, COMM) {
    trace *t = user;
    (void)name, (void)parent, (void)flags;
    uint32_t at = bough_index_map_get(&t->groups, of);
    if (at == UINT32_MAX) return OTF2_CALLBACK_SUCCESS; /* not of MPI */
    return answer(t, bough_index_map_put(&t->comms, self, at, t->error));
}

/* ---- events ---- */

static otf2_events *at(void *user, uint64_t time, bough_status *status) {
    trace *t = user;
    uint64_t ticks = time > t->origin ? time - t->origin : 0;
    *status = otf2_at(&t->events, (uint64_t)((unsigned __int128)ticks * 1000000000u / t->resolution));
    return &t->events;
}

/* The group of a communicator is made when it is used first. */
static bough_status group_of(trace *t, uint32_t comm, uint32_t *index, const group **g) {
    uint32_t which = bough_index_map_get(&t->comms, comm), ranks = t->out->ranks;
    *index = bough_index_map_get(&t->of_comm, comm);
    if (which == UINT32_MAX)
        return bough_fail(t->error, BOUGH_INVALID, t->path,
                          "rank %" PRIu32 ", event %" PRIu32 ": communicator %" PRIu32
                          " is not one of MPI ranks",
                          t->events.tail.rank, t->events.in.line, comm);
    *g = &t->group[which];
    if (*index != UINT32_MAX) return BOUGH_OK;
    bool self = (*g)->type == OTF2_GROUP_TYPE_COMM_SELF;
    uint32_t n = self ? ranks : (*g)->n, *member = NULL;
    bool all = !self && n == ranks;
    *index = (uint32_t)t->out->groups;
    bough_status status = bough_alloc(&member, n, sizeof *member, t->error);
    for (uint32_t i = 0; i < n && !status; i++) {
        uint64_t rank = self ? i : (*g)->member[i];
        if (rank >= ranks)
            status =
                bough_fail(t->error, BOUGH_INVALID, t->path,
                           "communicator %" PRIu32 " has rank %" PRIu64 " of %" PRIu32, comm, rank, ranks);
        member[i] = (uint32_t)rank;
        all &= rank == i;
    }
    if (all && !t->world) { /* the first of all ranks, usually MPI_COMM_WORLD, is group 0 */
        t->world = true;
        *index = 0;
    } else {
        TRY(recording_group(t->out, member, n, t->error));
    }
    TRY(bough_index_map_put(&t->of_comm, comm, *index, t->error));
    free(member);
    return status;
}

static bough_status make_message(trace *t, uint32_t peer, uint32_t comm, otf2_message *m) {
    const group *g;
    bough_status status = group_of(t, comm, &m->group, &g);
    if (status) return status;
    if (g->type == OTF2_GROUP_TYPE_COMM_SELF) {
        m->peer = t->events.tail.rank;
        return BOUGH_OK;
    }
    if (peer >= g->n)
        return bough_fail(t->error, BOUGH_INVALID, t->path,
                          "rank %" PRIu32 ", event %" PRIu32 ": rank %" PRIu32
                          " in a communicator of %" PRIu32,
                          t->events.tail.rank, t->events.in.line, peer, g->n);
    m->peer = (uint32_t)g->member[peer];
    return BOUGH_OK;
}

static OTF2_CallbackCode on_enter(EVENT, OTF2_RegionRef region) {
    bough_status status;
    otf2_events *e = at(user, time, &status);
    UNUSED;
    if (!status && bough_index_map_get(&((trace *)user)->regions, region) == 1) otf2_enter(e);
    return answer(user, status);
}

static OTF2_CallbackCode on_leave(EVENT, OTF2_RegionRef region) {
    bough_status status;
    otf2_events *e = at(user, time, &status);
    UNUSED;
    if (!status && bough_index_map_get(&((trace *)user)->regions, region) == 1) otf2_leave(e);
    return answer(user, status);
}

static OTF2_CallbackCode on_send(EVENT, MESSAGE) {
    bough_status status;
    otf2_message m = {.size = bytes, .tag = tag};
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(make_message(user, peer, comm, &m));
    TRY(otf2_send(e, m));
    return answer(user, status);
}

static OTF2_CallbackCode on_recv(EVENT, MESSAGE) {
    bough_status status;
    otf2_message m = {.size = bytes, .tag = tag};
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(make_message(user, peer, comm, &m));
    TRY(otf2_recv(e, m));
    return answer(user, status);
}

static OTF2_CallbackCode on_isend(EVENT, MESSAGE, uint64_t request) {
    bough_status status;
    otf2_message m = {.size = bytes, .tag = tag};
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(make_message(user, peer, comm, &m));
    TRY(otf2_isend(e, m, request));
    return answer(user, status);
}

static OTF2_CallbackCode on_irecv(EVENT, MESSAGE, uint64_t request) {
    bough_status status;
    otf2_message m = {.size = bytes, .tag = tag};
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(make_message(user, peer, comm, &m));
    TRY(otf2_irecv(e, m, request));
    return answer(user, status);
}

static OTF2_CallbackCode on_irecv_request(EVENT, uint64_t request) {
    bough_status status;
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(otf2_irecv_request(e, request));
    return answer(user, status);
}

static OTF2_CallbackCode on_isend_complete(EVENT, uint64_t request) {
    bough_status status;
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(otf2_isend_complete(e, request));
    return answer(user, status);
}

static OTF2_CallbackCode on_cancelled(EVENT, uint64_t request) {
    bough_status status;
    otf2_events *e = at(user, time, &status);
    UNUSED;
    TRY(otf2_cancelled(e, request));
    return answer(user, status);
}

/* Which of the two sizes is the vector of collective.h, or this rank's share of it. */
static const struct {
    recorded_what what;
    bool known, received;
} kinds[] = {
    [OTF2_COLLECTIVE_OP_BARRIER] = {RECORDED_BARRIER, true, false},
    [OTF2_COLLECTIVE_OP_BCAST] = {RECORDED_BROADCAST, true, true},
    [OTF2_COLLECTIVE_OP_GATHER] = {RECORDED_GATHER, true, false},
    [OTF2_COLLECTIVE_OP_GATHERV] = {RECORDED_GATHER, true, false},
    [OTF2_COLLECTIVE_OP_SCATTER] = {RECORDED_SCATTER, true, true},
    [OTF2_COLLECTIVE_OP_SCATTERV] = {RECORDED_SCATTER, true, true},
    [OTF2_COLLECTIVE_OP_ALLGATHER] = {RECORDED_ALLGATHER, true, true},
    [OTF2_COLLECTIVE_OP_ALLGATHERV] = {RECORDED_ALLGATHER, true, true},
    [OTF2_COLLECTIVE_OP_ALLTOALL] = {RECORDED_ALLTOALL, true, false},
    [OTF2_COLLECTIVE_OP_ALLTOALLV] = {RECORDED_ALLTOALL, true, false},
    [OTF2_COLLECTIVE_OP_ALLTOALLW] = {RECORDED_ALLTOALL, true, false},
    [OTF2_COLLECTIVE_OP_ALLREDUCE] = {RECORDED_ALLREDUCE, true, false},
    [OTF2_COLLECTIVE_OP_REDUCE] = {RECORDED_REDUCE, true, false},
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = {RECORDED_REDUCESCATTER, true, false},
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = {RECORDED_REDUCESCATTER, true, false},
};

static OTF2_CallbackCode on_collective(EVENT, COLLECTIVE) {
    trace *t = user;
    bough_status status;
    const group *g = NULL;
    recorded_op op = {.peer = root == OTF2_UNDEFINED_UINT32 ? 0 : root};
    otf2_events *e = at(user, time, &status);
    UNUSED;
    if (kind >= OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        return answer(t, status); /* of files and windows: no data */
    if (!status && (kind >= sizeof kinds / sizeof *kinds || !kinds[kind].known))
        status =
            bough_fail(t->error, BOUGH_INVALID, t->path,
                       "rank %" PRIu32 ", event %" PRIu32 ": there is no algorithm for collective %u of OTF2",
                       e->tail.rank, e->in.line, kind);
    TRY(group_of(t, comm, &op.group, &g));
    if (status || g->type == OTF2_GROUP_TYPE_COMM_SELF) return answer(t, status);
    if (op.peer >= g->n) /* OTF2's mark for this rank and for none in communicators between groups */
        status =
            bough_fail(t->error, BOUGH_INVALID, t->path,
                       "rank %" PRIu32 ", event %" PRIu32 ": root %" PRIu32 " in a communicator of %" PRIu32,
                       e->tail.rank, e->in.line, op.peer, g->n);
    if (status) return answer(t, status);
    op.what = (uint8_t)kinds[kind].what;
    op.size = kinds[kind].received ? received : sent;
    return answer(t, otf2_collective(e, op));
}

/* ---- files ---- */

/* The library writes to standard error otherwise. */
static OTF2_ErrorCode on_error(void *user, ERROR) {
    trace *t = user;
    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    t->no_memory |=
        code == OTF2_ERROR_ENOMEM || code == OTF2_ERROR_MEM_FAULT || code == OTF2_ERROR_MEM_ALLOC_FAILED;
    if (!*t->text) snprintf(t->text, sizeof t->text, "%s", OTF2_Error_GetDescription(code));
    return code;
}

static bough_status library_fails(trace *t, const char *what) {
    if (t->status) return t->status; /* a callback of ours */
    if (t->no_memory) return bough_fail_memory(t->error, 0);
    return bough_fail(t->error, BOUGH_INVALID, t->path,
                      "%s cannot be read as OTF2%s%s; expected traces.otf2, or its directory", what,
                      *t->text ? ": " : "", t->text);
}

static bough_status read_definitions(trace *t) {
    uint64_t read;
    OTF2_GlobalDefReader *r = OTF2_Reader_GetGlobalDefReader(t->reader);
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_ErrorCode code = r && c ? OTF2_SUCCESS : OTF2_ERROR_MEM_FAULT;
    t->no_memory |= code && !*t->text; /* the library has nothing to say of it */
    if (!code) {
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
        OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
        code = OTF2_Reader_RegisterGlobalDefCallbacks(t->reader, r, c, t);
    }
    if (!code) code = OTF2_Reader_ReadAllGlobalDefinitions(t->reader, r, &read);
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    if (code || t->status) return library_fails(t, "the definitions");
    if (t->locations == UINT32_MAX || t->group[t->locations].n == 0)
        return bough_fail(t->error, BOUGH_INVALID, t->path,
                          "has no MPI ranks (a group of type COMM_LOCATIONS)");
    if (t->resolution == 0) return bough_fail(t->error, BOUGH_INVALID, t->path, "has no clock");
    t->out->ranks = t->group[t->locations].n;
    return recording_group(t->out, NULL, t->out->ranks, t->error);
}

/* Local definitions translate references of a rank; without them references are global. */
static void open_locations(const trace *t) {
    const group *g = &t->group[t->locations];
    uint64_t read;
    for (uint32_t i = 0; i < g->n; i++) OTF2_Reader_SelectLocation(t->reader, g->member[i]);
    bool definitions = OTF2_Reader_OpenDefFiles(t->reader) == OTF2_SUCCESS;
    OTF2_Reader_OpenEvtFiles(t->reader);
    for (uint32_t i = 0; i < g->n; i++) {
        OTF2_DefReader *d = definitions ? OTF2_Reader_GetDefReader(t->reader, g->member[i]) : NULL;
        if (d) OTF2_Reader_ReadAllLocalDefinitions(t->reader, d, &read);
        if (d) OTF2_Reader_CloseDefReader(t->reader, d);
        OTF2_Reader_GetEvtReader(t->reader, g->member[i]);
    }
    if (definitions) OTF2_Reader_CloseDefFiles(t->reader);
}

static bough_status read_rank(trace *t, const OTF2_EvtReaderCallbacks *c, uint32_t rank) {
    uint64_t read;
    OTF2_EvtReader *r = OTF2_Reader_GetEvtReader(t->reader, t->group[t->locations].member[rank]);
    OTF2_ErrorCode code = r ? OTF2_Reader_RegisterEvtCallbacks(t->reader, r, c, t) : OTF2_ERROR_INVALID;
    t->events = (otf2_events){.out = t->out,
                              .in = {.file = t->path, .error = t->error},
                              .tail = {t->out, t->error, rank, UINT32_MAX, false}};
    if (!code) code = OTF2_Reader_ReadAllLocalEvents(t->reader, r, &read);
    bough_status status = code || t->status ? library_fails(t, "the events of a rank") : BOUGH_OK;
    bough_status end = otf2_end(&t->events);
    if (r) OTF2_Reader_CloseEvtReader(t->reader, r);
    return status ? status : end;
}

static bough_status read_events(trace *t) {
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    bough_status status = c ? BOUGH_OK : bough_fail_memory(t->error, 1);
    if (status) return status;
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective);
    open_locations(t);
    for (uint32_t rank = 0; rank < t->out->ranks && !status; rank++) status = read_rank(t, c, rank);
    OTF2_EvtReaderCallbacks_Delete(c);
    return status;
}

bough_status otf2_read(const char *path, recording *out, bough_error *error) {
    trace t = {.path = path, .out = out, .error = error, .locations = UINT32_MAX};
    OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(on_error, &t);
    bough_status status = BOUGH_OK;
    t.groups.memory = t.comms.memory = t.regions.memory = t.of_comm.memory = &t.memory;
    out->uneven = true;
    t.reader = OTF2_Reader_Open(path);
    if (!t.reader || OTF2_Reader_SetSerialCollectiveCallbacks(t.reader))
        status = library_fails(&t, "the file");
    TRY(read_definitions(&t));
    TRY(read_events(&t));
    if (t.reader) OTF2_Reader_Close(t.reader);
    OTF2_Error_RegisterCallback(before, NULL);
    arena_fini(&t.memory);
    return status;
}

#endif
