#include "base/memory/memory.h"
#include "study/ranks/ranks_run.h"
#include "study/run/point_binding.h"

bough_status ranks_check_memory(const bough_study *study, const rank_team *team, bough_error *error) {
    uint64_t limit = bough_memory_limit();
    unsigned local = team->local;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_study_point *p = &study->point[i];
            uint64_t need = bough_add(p->bytes, p->answer[k].bytes);
            if (need <= limit / local) continue;
            char one[32], have[32];
            bough_status status = bough_fail(
                error, BOUGH_TOO_LARGE, NULL,
                "%s takes %s of memory in each rank, and %u ranks share the %s of this machine; start fewer "
                "ranks per machine, with more --threads",
                p->answer[k].method, bough_format_bytes(need, one, sizeof one), local,
                bough_format_bytes(limit, have, sizeof have));
            return point_fail(study, i, p->method[p->answer[k].asked].line, status, error);
        }
    return BOUGH_OK;
}
