#include "report/tables/network_object.h"

#include "base/json/json_build.h"
#include "bough/faults.h"

#include <inttypes.h>
#include <stdio.h>

json_t *network_object(const bough_net *net) {
    json_t *o = json_object();
    bough_json_put(&o, "spec", bough_json_string(net->faults ? net->faults->base->spec : net->spec));
    if (net->fabric) {
        char hash[24];
        snprintf(hash, sizeof hash, "%016" PRIx64, net->fabric->hash);
        bough_json_put(&o, "file_hash", json_string(hash));
    }
    bough_json_put(&o, "endpoints", json_integer((json_int_t)net->endpoints));
    bough_json_put(&o, "switches", json_integer((json_int_t)net->switches));
    bough_json_put(&o, "links", json_integer((json_int_t)net->links));
    bough_json_put(&o, "cables", json_integer((json_int_t)net->cables));
    return o;
}
