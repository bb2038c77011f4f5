#include "support/goal_files.h"

#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

const char *goal_file(const bough_schedule *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    fprintf(f, "num_ranks %u\n", s->ranks);
    for (uint32_t r = 0; r < s->ranks; r++) {
        fprintf(f, "rank %u {\n", r);
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++) {
            const bough_op *op = &s->op[o];
            if (op->kind == BOUGH_OP_CALC)
                fprintf(f, "l%u: calc %lu cpu %u\n", o, (unsigned long)op->size, op->cpu);
            else
                fprintf(f, "l%u: %s %lub %s %d tag %d cpu %u nic %u\n", o,
                        op->kind == BOUGH_OP_SEND ? "send" : "recv", (unsigned long)op->size,
                        op->kind == BOUGH_OP_SEND ? "to" : "from", (int)op->peer, (int)op->tag, op->cpu,
                        op->nic);
        }
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++)
            for (uint64_t i = s->then[o]; i < s->then[o + 1]; i++)
                fprintf(f, "l%u %s l%u\n", s->follower[i] >> 1, s->follower[i] & 1 ? "irequires" : "requires",
                        o);
        fprintf(f, "}\n");
    }
    fclose(f);
    const char *path = temporary_file("random.goal", text, size);
    free(text);
    return path;
}
