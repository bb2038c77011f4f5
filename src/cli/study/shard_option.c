#include "cli/study/shard_option.h"

#include "base/text/text.h"
#include "study/run/point_binding.h"
#include "study/study_shards.h"

#include <ctype.h>
#include <stdlib.h>

int cli_shard(const cli_args *args, shard_choice *choice) {
    const char *text = cli_value(args, "shard");
    char *slash = NULL, *end = NULL;
    *choice = (shard_choice){0};
    if (!text) return 0;
    unsigned long shard = isdigit((unsigned char)*text) ? strtoul(text, &slash, 10) : 0;
    bool two = slash && *slash == '/' && isdigit((unsigned char)slash[1]);
    unsigned long shards = two ? strtoul(slash + 1, &end, 10) : 0;
    if (!two || *end || shard < 1 || shard > shards || shards > BOUGH_POINTS_MAX)
        return cli_wrong("run", "--shard %s: write I/N with 1 <= I <= N, as in --shard 2/4", text);
    *choice = (shard_choice){(unsigned)shard, (unsigned)shards};
    return 0;
}

/* "n=16 (shard 1), n=64 (shard 3)" */
static size_t list_others(const bough_study *study, bough_text *out) {
    enum { NAMED = 8 };
    size_t others = 0;
    for (size_t i = 0; i < study->points; i++) {
        char label[256];
        if (study_point_is_mine(study, i) || others++ >= NAMED) continue;
        point_label(study, &study->point[i], label, sizeof label);
        bough_text_printf(out, "%s%s (shard %u)", others > 1 ? ", " : "",
                          *label ? label : study->point[i].network.spec, study->point[i].shard);
    }
    if (others > NAMED) bough_text_printf(out, ", and %zu more", others - NAMED);
    return others;
}

void cli_note_shard(const bough_study *study) {
    bough_text out = {0};
    if (!study->shards) return;
    size_t others = list_others(study, &out);
    if (!out.failed)
        cli_note("shard %u of %u has %zu of %zu points%s%s", study->shard, study->shards,
                 study->points - others, study->points, others ? "; the others: " : "",
                 others ? out.data : "");
    bough_text_fini(&out);
}
