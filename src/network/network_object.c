#include "network/network_object.h"
#include "network/faults/faults.h"

void network_object_begin(json_writer *w, const bough_net *net, const char *spec) {
    json_begin_object(w, "network", true);
    json_put_text(w, "spec", spec);
    if (net->fabric) json_put_hash(w, "file_hash", net->fabric->hash);
    json_put_whole(w, "endpoints", (int64_t)net->endpoints);
    json_put_whole(w, "switches", (int64_t)net->switches);
    json_put_whole(w, "links", (int64_t)net->links);
    json_put_whole(w, "cables", (int64_t)net->cables);
}

const char *network_object_spec(const bough_net *net) {
    return net->faults ? net->faults->base->spec : net->spec;
}
