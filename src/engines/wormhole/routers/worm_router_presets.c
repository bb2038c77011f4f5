#include "engines/wormhole/routers/worm_router.h"

const worm_router_preset worm_router_presets[] = {
    /* jiang2013: the defaults of BookSim 2 */
    {"iq", {.route = 1, .vc_alloc = 1, .switch_alloc = 1, .traverse = 1, .link = 1, .port = 1}, 16, 8},
    /* galles1997 */
    {"lookahead", {.route = 0, .vc_alloc = 1, .switch_alloc = 1, .traverse = 1, .link = 1, .port = 1}, 16, 8},
    /* peh2001 */
    {"speculative",
     {.route = 1, .vc_alloc = 1, .switch_alloc = 1, .traverse = 1, .link = 1, .port = 1, .speculative = true},
     16,
     8},
    {"fast",
     {.route = 0, .vc_alloc = 1, .switch_alloc = 1, .traverse = 1, .link = 1, .port = 1, .speculative = true},
     16,
     8},
    {0},
};
