#include "loads/link_sums.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

bough_status link_sums_make(link_sums *s, uint64_t links, bough_error *error) {
    bough_status status = bough_alloc(&s->load, links, sizeof *s->load, error);
    TRY(bough_alloc(&s->link, links, sizeof *s->link, error));
    return status;
}

void link_sums_fini(link_sums *s) {
    FREE_ALL(s->load, s->link);
    *s = (link_sums){0};
}

void link_sums_clear(link_sums *s) {
    for (uint64_t i = 0; i < s->count; i++) s->load[s->link[i]] = 0;
    s->count = 0;
}

void link_sums_visit(void *context, uint64_t link, double share) {
    link_sums_add(context, link, share);
}
