/* Any bytes as a table of choices of algo=nccl: refused with a place and a reason, or rules that can be
 * followed. */
#include "base/files/input.h"
#include "traffic/collectives/gpu/tuning_table.h"

#include <stdlib.h>

static void follow(const collective_tuning *tuning) {
    for (int c = 0; c < NCCL_COLLECTIVES; c++)
        for (uint32_t nodes = 1; nodes <= 64; nodes *= 8) {
            bough_error error = {0};
            nccl_choice k;
            nccl_question q = {(nccl_collective)c, 8 * nodes, nodes, 8, 1 << 20};
            if (nccl_choose(tuning, &q, &k, &error)) continue;
            if ((unsigned)k.algorithm >= NCCL_ALGORITHMS || (unsigned)k.protocol > COLLECTIVE_SIMPLE ||
                k.channels > COLLECTIVE_CHANNELS_MAX)
                abort();
        }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    bough_input input;
    bough_error error = {0};
    collective_tuning tuning = {.file = "fuzz.csv"};
    if (bough_input_from("fuzz.csv", data, size, &input, &error)) return 0;
    bough_status status = tuning_table_read(&input, &tuning, &error);
    if (status && (!*error.reason || !*error.place)) abort();
    if (!status && tuning.rules == 0) abort();
    if (!status) follow(&tuning);
    free(tuning.rule);
    bough_input_fini(&input);
    return 0;
}
