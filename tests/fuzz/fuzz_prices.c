/* Any bytes as a list of prices: refused with a place and a reason, or prices that are numbers, and a plan.
 */
#include "fabric/plan/plan.h"
#include "fuzz/file.h"
#include "fuzz/must.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char path[64];
    bough_error error = {0};
    bough_plan_ask ask = {.hosts = 20, .radix = 8, .taper = 2};
    bough_plan_tree *trees = NULL;
    size_t count = 0;
    int file = fuzz_file(data, size, path, sizeof path);
    bough_status status = bough_prices_read(path, &ask.prices, &error);
    close(file);
    if (status) {
        MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
        return 0;
    }
    const bough_prices *p = &ask.prices;
    MUST(p->given && isfinite(p->switches) && isfinite(p->cables) && isfinite(p->hosts));
    MUST(p->switches >= 0 && p->cables >= 0 && p->hosts >= 0);
    MUST(memchr(p->currency, 0, sizeof p->currency));
    if (bough_plan(&ask, &trees, &count, &error)) return 0;
    MUST(count > 0);
    for (size_t i = 1; i < count; i++) MUST(trees[i - 1].cost <= trees[i].cost);
    for (size_t i = 0; i < count; i++) MUST(isfinite(trees[i].cost));
    free(trees);
    return 0;
}
