/* What a comparison counts; of nodes and cables first how many there were and are. */
#include "fabric/changes/change_counts.h"

change_counts change_count_nodes(const bough_node_changes *n) {
    return (change_counts){{{"before", NULL, n->before},
                            {"now", NULL, n->now},
                            {"gone", "gone", n->gone},
                            {"new", "new", n->fresh},
                            {"replaced", "with another GUID", n->replaced},
                            {"renamed", "renamed", n->renamed},
                            {"other_lid", "with another LID", n->relabelled}}};
}

change_counts change_count_cables(const bough_cable_changes *c) {
    return (change_counts){{{"before", NULL, c->before},
                            {"now", NULL, c->now},
                            {"gone", "gone", c->gone},
                            {"new", "new", c->fresh},
                            {"moved", "moved", c->moved},
                            {"slower", "slower", c->slower},
                            {"faster", "faster", c->faster}}};
}

change_counts change_count_pairs(const bough_routing_changes *r) {
    return (change_counts){{{"count", NULL, r->pairs},
                            {"same", "the same", r->same},
                            {"other", "another way", r->other},
                            {"longer", NULL, r->longer},
                            {"shorter", NULL, r->shorter},
                            {"lost", "lost", r->lost},
                            {"restored", "restored", r->restored},
                            {"unrouted", "in neither", r->unrouted}}};
}
