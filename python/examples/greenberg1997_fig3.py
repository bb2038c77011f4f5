# %% [markdown]
# # Figure 3 of Greenberg and Guan, and a routing of one's own
#
# Wormhole routing on a butterfly fat-tree with 1024 processors: latency against load, simulated (`worm`) and predicted by
# the model of the paper (`queueing`). The built-in study `greenberg1997/fig3` is the figure; here with four trials for each
# point instead of a precision of 1 %.

# %%
import numpy as np

import bough

loads = [round(0.004 * i, 3) for i in range(1, 11)]
figure3 = bough.run("greenberg1997/fig3", set={"load": loads}, trials=4)
frame = figure3.to_pandas()
frame[frame.metric == "latency"].pivot_table(index="load", columns=["flits", "method"], values="mean").round(2)

# %% [markdown]
# The load is in flits per cycle and processor, the latency in cycles. The model agrees up to 0.028, is too high above, and
# saturates at 0.0391, where the simulation goes on.

# %%
ax = figure3.plot("latency")
ax.set_ylim(0, 250)
ax.set_title("greenberg1997, figure 3: 1024 processors");

# %% [markdown]
# ## Another routing
#
# In the paper a worm takes any free link towards the roots. Here every switch has one fixed link for each destination: bit
# $l$ of the destination selects between the two parents of a switch of level $l+1$. A routing is an array
# `link[node, endpoint]`: the link that a message for the endpoint takes at the node. Below the nearest common ancestor there
# is one way down.

# %%
def fixed_parent(net):
    """Forwarding tables of a tree, from its links."""
    src, dst = net.links.src, net.links.dst
    level = np.full(net.nodes, -1)
    level[:net.endpoints] = 0
    while (level < 0).any():  # distance from the endpoints
        reached = (level[src] >= 0) & (level[dst] < 0)
        level[dst[reached]] = level[src[reached]].max() + 1
    below = np.zeros((net.nodes, net.endpoints), bool)  # endpoints below a node
    below[:net.endpoints] = np.eye(net.endpoints, dtype=bool)
    up = np.flatnonzero(level[src] < level[dst])
    for link in up[np.argsort(level[src[up]], kind="stable")]:
        below[dst[link]] |= below[src[link]]
    tables = np.full((net.nodes, net.endpoints), -1)
    endpoints = np.arange(net.endpoints)
    for node in range(net.endpoints, net.nodes):
        parents = up[src[up] == node]
        if parents.size:
            tables[node] = parents[(endpoints >> (level[node] - 1)) % parents.size]
    for link in np.flatnonzero(level[src] > level[dst]):
        tables[src[link], below[dst[link]]] = link
    return bough.Routing.from_tables(tables, name="fixed")


net = bough.Network("bft:n=1024")
fixed = fixed_parent(net)
print("most loaded link under all-to-all:", net.link_loads().max(), "random,", net.link_loads(fixed).max(), "fixed")

# %% [markdown]
# Both routings load the links equally. The difference is that a fixed link may be busy while its neighbour is free.

# %%
study = {
    "network": "bft:n=1024",
    "routing": ["free", fixed],
    "traffic": "poisson:load={load},flits=32",
    "methods": "worm",
    "grid": [{"load": loads}],
    "trials": 4,
}
routings = bough.run(study)
ax = routings.plot("latency")
ax.set_ylim(0, 250)
ax.set_title("32 flits: any free link, or a fixed one");

# %%
for load in (0.004, 0.02, 0.028):
    free, bound = (routings.value("latency", load=load, routing=name) for name in ("free", "fixed"))
    print(f"load {load}: {free:.1f} cycles with any free link, {bound:.1f} with a fixed one")
