/* Which nodes of two fabrics are the same. */
#ifndef BOUGH_MODEL_CHANGES_H
#define BOUGH_MODEL_CHANGES_H

#include "bough/fabric.h"

/* By GUID; those that are left by name and kind (an adapter or a switch that was replaced). other: [node of
 * from], the node of to or BOUGH_NO_INDEX. *by_guid: how many were found by GUID. */
bough_status changes_match(const bough_fabric *from, const bough_fabric *to, uint32_t *other,
                           uint32_t *by_guid, bough_error *error);

#endif
