/* The on-line routing of bay1991 (section 3.3) on the pruned butterfly, vertex by vertex: slow, plain,
 * and written from the text and its settled gaps alone. Levels are the paper's: the root is 0, leaves are
 * lg N. */
#ifndef TESTS_SUPPORT_SIDETRACK_ORACLE_H
#define TESTS_SUPPORT_SIDETRACK_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define ORACLE_LEAVES_MAX 256
#define ORACLE_LEVELS_MAX 8

typedef struct sidetrack_oracle {
    /* asked */
    unsigned leaves; /* N, a power of 4 up to ORACLE_LEAVES_MAX */
    bool root_rule;  /* compress=root; else compress=peak */
    const uint32_t *source, *destination;
    unsigned messages;
    /* Called after every pass: where every message is. May be NULL. */
    void (*after_pass)(void *context, unsigned stage, unsigned pass, const uint32_t *leaf);
    void *context;
    /* answered */
    unsigned stage_passes[ORACLE_LEVELS_MAX], passes;
    unsigned lambda_max;        /* largest lambda_T */
    unsigned queue_max;         /* sidetracked messages at one leaf between passes, at most */
    unsigned sidetracked;       /* times that a message was */
    unsigned undelivered;       /* after the last stage */
    unsigned compression_clash; /* edges that two messages of a compression wanted */
} sidetrack_oracle;

void sidetrack_oracle_run(sidetrack_oracle *oracle);

#endif
