#include "method/network_needs.h"

#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"

const char *method_lacks_binary(const bough_net *net) {
    const xgft_shape *shape = xgft_shape_of(net);
    return shape && xgft_is_binary(shape) ? NULL : "the binary fat-tree of strumpen2005 (fattree:n=...)";
}

const char *method_lacks_pruned(const bough_net *net) {
    const xgft_shape *shape = xgft_shape_of(net);
    return shape && xgft_is_pruned(shape) ? NULL : "the pruned butterfly of bay1991 (pruned:n=...)";
}

const char *method_lacks_sorting(const bough_net *net) {
    return sorting_shape_of(net) ? NULL : "the sorting fat-tree of bay1991 (sorting:n=...)";
}

const char *method_lacks_stacks(const bough_net *net) {
    return net->packaging ? NULL : "a network made of stacks (transit:...)";
}
