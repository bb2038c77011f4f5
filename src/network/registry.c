#include "network/registry.h"

#include "base/memory/memory.h"

#include <stdlib.h>

const void *bough_registry_item(const bough_registry *r, bough_registry_list list, size_t i) {
    for (; r; r = r->parent) {
        if (i < r->list[list].count) return r->list[list].item[i];
        i -= r->list[list].count;
    }
    return NULL;
}

bough_status bough_registry_put(bough_registry *r, bough_registry_list list, const void *item,
                                bough_error *error) {
    size_t count = r->list[list].count;
    bough_status status = bough_grow(&r->list[list].item, &r->list[list].capacity, count + 1,
                                     sizeof *r->list[list].item, error);
    if (status) return status;
    r->list[list].item[count] = item;
    r->list[list].count++;
    return BOUGH_OK;
}

void bough_registry_fini(bough_registry *r) {
    for (int k = 0; k < BOUGH_LISTS; k++) free(r->list[k].item);
    *r = (bough_registry){0};
}
