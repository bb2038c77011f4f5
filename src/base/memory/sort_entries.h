/* Sorting of heap entries by (key, tie). */
#ifndef BOUGH_BASE_MEMORY_SORT_ENTRIES_H
#define BOUGH_BASE_MEMORY_SORT_ENTRIES_H

#include "base/memory/indexed_heap.h"

/* spare: as many places. Returns which of the two has the entries in order. O(count): a radix sort, which
 * skips digits that all entries have in common. For a few thousand entries a heap is faster. */
heap_entry *sort_entries(heap_entry *entry, heap_entry *spare, uint32_t count);

#endif
