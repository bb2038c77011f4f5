#include "models/link_load/trees/shift_records.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

bough_status record_list_add(record_list *l, const record *flows, uint64_t *rooms, bough_error *error) {
    if (l->count && l->last.target == flows->target && l->last.last + 1 == flows->first) {
        l->item[l->count - 1].last = l->last.last = flows->last;
        return BOUGH_OK;
    }
    const size_t room = l->room;
    bough_status status = BOUGH_OK;
    if (l->count == room) status = bough_grow(&l->item, &l->room, l->count + 1, sizeof *l->item, error);
    *rooms += l->room - room;
    if (!status) l->item[l->count++] = l->last = *flows;
    return status;
}

/* What a rank sends of a list: this, then its records. */
typedef struct record_head {
    uint64_t node, count;
} record_head;

static uint64_t list_bytes(const record_list *l) {
    return l->count ? sizeof(record_head) + l->count * sizeof(record) : 0;
}

static bough_status size_parts(const rank_group *group, const record_part *p, rank_parts *out,
                               bough_error *error) {
    uint64_t *size;
    bough_status status = bough_alloc(&size, group->ranks, sizeof *size, error);
    if (status) return status;
    for (uint64_t node = p->first; node < p->end; node++)
        for (unsigned i = 0, to = (node - p->first) % group->ranks; i < p->lists && to != group->rank; i++)
            size[to] += list_bytes(&p->list[i][node]);
    status = rank_parts_make(out, group->ranks, size, error);
    free(size);
    return status;
}

static unsigned char *put_lists(const record_part *p, uint64_t node, unsigned char *to) {
    for (unsigned i = 0; i < p->lists; i++) {
        const record_list *l = &p->list[i][node];
        const record_head head = {node, l->count};
        if (!l->count) continue;
        memcpy(to, &head, sizeof head);
        memcpy(to + sizeof head, l->item, l->count * sizeof(record));
        to += list_bytes(l);
    }
    return to;
}

static bough_status pack(const rank_group *group, const record_part *p, rank_parts *out, bough_error *error) {
    const unsigned ranks = group->ranks;
    bough_status status = size_parts(group, p, out, error);
    for (unsigned r = 0; r < ranks && !status; r++) {
        unsigned char *to = out->bytes + out->at[r];
        for (uint64_t node = p->first + r; node < p->end && r != group->rank; node += ranks)
            to = put_lists(p, node, to);
    }
    return status;
}

static bough_status unpack(const record_part *p, const unsigned char *at, const unsigned char *end,
                           bough_error *error) {
    bough_status status = BOUGH_OK;
    while (at < end && !status) {
        record_head head;
        memcpy(&head, at, sizeof head);
        record_list *l = &p->list[0][head.node];
        const size_t room = l->room;
        status = bough_grow(&l->item, &l->room, l->count + head.count, sizeof *l->item, error);
        if (status) break;
        *p->room += l->room - room;
        memcpy(l->item + l->count, at + sizeof head, head.count * sizeof(record));
        l->count += head.count;
        at += sizeof head + head.count * sizeof(record);
    }
    return status;
}

bough_status shift_records_share(const rank_group *group, const record_part *p, bough_error *error) {
    rank_parts out = {0}, in = {0};
    bough_status status = pack(group, p, &out, error);
    status = group_exchange(group, status, &out, &in, error);
    rank_parts_fini(&out);
    TRY(unpack(p, in.bytes, in.bytes + in.at[group->ranks], error));
    rank_parts_fini(&in);
    return status;
}

/* at[r]: the bytes of ranks below r. */
static bough_status find_sizes(const rank_group *group, const record_part *p, uint64_t *at,
                               bough_error *error) {
    uint64_t *size = at + 1;
    for (uint64_t node = p->first; node < p->end; node++)
        for (unsigned i = 0; i < p->lists; i++) size[group->rank] += list_bytes(&p->list[i][node]);
    bough_status status = group_or(group, size, group->ranks, error);
    for (unsigned r = 0; r < group->ranks; r++) at[r + 1] += at[r];
    return status;
}

static bough_status spread_lists(const rank_group *group, const record_part *p, const uint64_t *at,
                                 bough_error *error) {
    unsigned char *bytes = NULL;
    bough_status status = large_alloc(&bytes, bough_add(at[group->ranks], 1), 1, error);
    unsigned char *to = status ? NULL : bytes + at[group->rank];
    for (uint64_t node = p->first; node < p->end && !status; node++) to = put_lists(p, node, to);
    status = group_gather(group, status, bytes, at, error);
    for (unsigned r = 0; r < group->ranks && !status; r++)
        if (r != group->rank) status = unpack(p, bytes + at[r], bytes + at[r + 1], error);
    free(bytes);
    return status;
}

bough_status shift_records_spread(const rank_group *group, const record_part *p, uint64_t bytes, bool *spread,
                                  bough_error *error) {
    uint64_t *at = NULL;
    *spread = false;
    bough_status status = bough_alloc(&at, (uint64_t)group->ranks + 1, sizeof *at, error);
    status = group_agree(group, status, error);
    TRY(find_sizes(group, p, at, error));
    if (!status && at[group->ranks] <= bytes) {
        *spread = true;
        status = spread_lists(group, p, at, error);
    }
    free(at);
    return status;
}
