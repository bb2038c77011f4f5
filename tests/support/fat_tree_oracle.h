/* All fat-trees of up to three levels that join some hosts, by trying every XGFT whose switches have enough
 * ports. */
#ifndef BOUGH_TEST_SUPPORT_FAT_TREE_ORACLE_H
#define BOUGH_TEST_SUPPORT_FAT_TREE_ORACLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct oracle_tree {
    uint64_t switches, cables;
    double taper;
} oracle_tree;

/* Those that no other one is at least as good as, in switches, cables and taper; of equal ones one; by
 * switches, cables and taper. The caller frees the array. */
oracle_tree *fat_tree_oracle(uint64_t hosts, uint32_t radix, double taper, size_t *count);

#endif
