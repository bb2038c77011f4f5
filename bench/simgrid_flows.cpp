#include "simgrid_flows.h"

#include <ctime>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

static std::vector<s4u::Host *> hosts;

static std::pair<simgrid::kernel::routing::NetPoint *, simgrid::kernel::routing::NetPoint *>
make_host(s4u::NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
    s4u::Host *host = zone->create_host("h" + std::to_string(id), 1e9);
    if (hosts.size() <= id) hosts.resize(id + 1);
    hosts[id] = host;
    return {host->get_netpoint(), nullptr};
}

bool simgrid_flows(unsigned k, bool cross, bool full, uint32_t n, uint32_t count, const uint32_t *to,
                   const uint64_t *size, double *end, double *seconds) {
    const std::string crosstraffic = std::string("--cfg=network/crosstraffic:") + (cross ? "1" : "0");
    const char *words[] = {"bench_flow",
                           "--log=root.thres:error",
                           "--cfg=network/model:CM02",
                           "--cfg=network/TCP-gamma:0",
                           "--cfg=network/weight-S:0",
                           "--cfg=network/latency-factor:1",
                           "--cfg=network/bandwidth-factor:1",
                           crosstraffic.c_str(),
                           full ? "--cfg=network/optim:Full" : "--cfg=network/optim:Lazy"};
    int argc = sizeof words / sizeof *words;
    s4u::Engine engine(&argc, const_cast<char **>(words));
    const s4u::FatTreeParams tree(3, {k, k, k}, {1, k, k}, {1, 1, 1});
    s4u::NetZone *zone = s4u::create_fatTree_zone("tree", nullptr, tree, s4u::ClusterCallbacks(make_host),
                                                  12.5e9, 100e-9, s4u::Link::SharingPolicy::SPLITDUPLEX);
    zone->seal();
    s4u::Actor::create("main", hosts[0], [=]() {
        std::vector<s4u::CommPtr> comms;
        for (uint32_t i = 0; i < count; i++)
            comms.push_back(s4u::Comm::sendto_async(hosts[i % n], hosts[to[i]], size[i]));
        s4u::Comm::wait_all(comms);
        for (uint32_t i = 0; i < count; i++) end[i] = comms[i]->get_finish_time();
    });
    const clock_t start = clock();
    engine.run();
    *seconds = double(clock() - start) / CLOCKS_PER_SEC;
    return true;
}
