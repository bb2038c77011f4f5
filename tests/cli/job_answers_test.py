#!/usr/bin/env python3
"""Times of jobs against sums by hand, and what the output says about them.

    tests/cli/job_answers_test.py BOUGH ROOT"""
import json
import os
import subprocess
import sys
import tempfile

BOUGH = os.path.abspath(sys.argv[1])
NODES = 'ndr:node="dgx-h100:gpus=2,nics=2%s"'
FREE = "o=0ns,g=0ns"


def bough(*args):
    return subprocess.run([BOUGH, *args], capture_output=True, text=True)


def right(*args):
    done = bough(*args)
    assert done.returncode == 0, (args, done.stderr)
    return " ".join(done.stdout.split())


def wrong(text, *args):
    done = bough(*args)
    assert done.returncode == 2, (args, done.returncode, done.stderr)
    assert text in done.stderr and done.stderr.count("\n") == 1, (text, done.stderr)


def sim(*args):
    """The rows without an index, by name."""
    done = bough("sim", *args, "--json")
    assert done.returncode == 0, (args, done.stderr)
    return {row["metric"]: row["mean"] for row in json.loads(done.stdout)["results"] if "index" not in row}


def near(have, want, share=0.02):
    assert abs(have / want - 1) <= share, (have, want)


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def sends_overlap():
    """Half of 100 MB for each GPU over its own NIC of 50 GB/s; 64 GPUs, of which 56 are in other nodes; in a training
    step 1 MB for each of 2 alltoalls, of which 3/4 leave the endpoint."""
    direct = f"alltoall:algo=nccl-direct,size=100MB,{FREE}"
    near(sim("xgft:down=4,up=1", direct, "flow", "--physical", NODES % "")["completion_time"], 1e-3)
    near(sim("clos:radix=64,hosts=16", direct, "flow", "--physical", "ndr:node=dgx-h100")["algo_bandwidth"], 100)
    near(sim("clos:radix=64,hosts=64", direct, "flow", "--physical", "ndr:node=dgx-h100", "--routing", "dmodk")
         ["algo_bandwidth"], 50 * 64 / 56)

    simai = write("experts.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 4 pp: 1 vpp: 1 ga: 1 "
                  "all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0\n1\n"
                  "moe -1 0 ALLTOALL_EP 4000000 0 NONE 0 0 NONE 0 100\n")
    near(sim("xgft:down=4,up=1", f"simai:{simai},ranks=4,algo=nccl-ring,{FREE}", "flow", "--physical", "ideal")
         ["completion_time"], 3e6 * 8 / 100e9)


def ideal_hosts():
    """No algorithm is slower on them than on hosts that cost time."""
    near(sim("xgft:down=8,up=1", "allreduce:algo=tree,size=100MB", "flow", "--physical", "ideal")["completion_time"], 48e-3,
         0.001)
    reals = ["default:delay=0ns", "ndr:rate=100Gb/s,header=0,switch=0ns,delay=0ns"]
    for spec in ["allreduce:algo=ring", "allreduce:algo=doubling", "allreduce:algo=rabenseifner", "allreduce:algo=tree",
                 "allgather:algo=bruck", "reducescatter:algo=halving", "reduce:algo=binomial", "broadcast:algo=binomial",
                 "broadcast:algo=scatter", "broadcast:algo=chain", "alltoall:algo=shift", "alltoall:algo=pairwise",
                 "alltoall:algo=nccl-direct"]:
        for size in ["1kB", "20kB", "1MB"]:
            def time(setting):
                return sim("xgft:down=4x4,up=1x4", f"{spec},size={size}", "flow:ideal=0", "--routing", "dmodk", "--physical",
                           setting)["completion_time"]
            ideal = time("ideal")
            for real in reals:
                assert ideal <= time(real) * (1 + 1e-9), (spec, size, real)


def ideal_share():
    """What the interfaces of hosts allow does not depend on a part of them that is not the narrowest."""
    shift = "alltoall:algo=nccl-direct,size=10MB,o=0ns,g=0ns"
    shares = [sim("xgft:down=4x4,up=1x1", shift, "flow", "--physical", NODES % f",pxn=0,pcie={pcie}Gb/s", "--routing", "dmodk")
              for pcie in (500, 1000, 4000)]
    for share in shares[1:]:
        near(share["ideal_share"], shares[0]["ideal_share"], 1e-3)
    full = sim("xgft:down=4,up=1", shift, "flow", "--physical", NODES % ",pxn=0,pcie=1000Gb/s")
    near(full["ideal_share"], 1, 1e-9)


def throughput():
    """Between nodes half of the data of 4 GPUs on 2 nodes: 3 destinations, of which 1 is in the node."""
    rows = sim("xgft:down=4,up=1", f"alltoall:algo=nccl-direct,size=8MB,{FREE}", "flow", "--physical", NODES % "")
    bits = 4 * 2e6 * 8
    near(rows["throughput"], 2 * bits / rows["completion_time"] / 1e9, 1e-6)
    near(rows["throughput_inside"], bits / rows["completion_time"] / 1e9, 1e-6)
    near(rows["throughput_endpoint"], rows["throughput"] / 4, 1e-6)
    for method in ("flow", "packet"):
        assert "throughput_inside" not in sim("xgft:down=4,up=1", "alltoall:algo=pairwise,size=80kB", method)
        assert sim("xgft:down=4,up=1", "alltoall:algo=pairwise,size=80kB", method, "--physical", NODES % "")["throughput_inside"] > 0


def delays():
    """1 MB at 100 Gb/s takes 80 us; a path of two links has the delays that the file states."""
    times = {
        write("ns3.txt", "3 1 2\n2\n0 2 100Gbps 3us 0\n1 2 100Gbps 0.004ms 0\n"): 7e-6,
        write("two.topo", "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\n"
              "Downlink_Latency_ns 5000\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 9000\n"): 10e-6,
    }
    pair = write("pair.csv", "source,destination\n0,1\n")
    for file, delay in times.items():
        rows = sim(file, f"messages:{pair}", "flow", "--routing", "updn")
        near(rows["completion_time"], 80e-6 + delay, 1e-6)
        rows = sim(file, "allgather:ranks=2,size=2MB,o=0ns,g=0ns", "packet", "--routing", "updn")
        near(rows["completion_time"], 80e-6 + delay, 0.01)
        assert "as the network states" in right("sim", file, f"messages:{pair}", "flow", "--routing", "updn")
    ring = write("ring.txt", "4 0 4\n\n" + "".join(f"{i} {(i + 1) % 4} 100Gbps 1us 0\n" for i in range(4)))
    far = write("far.csv", "source,destination\n0,2\n")
    near(sim(ring, f"messages:{far}", "flow")["completion_time"], 82e-6, 1e-6)  # hosts joined directly forward
    packet = 2 * 4096 * 8 / 200e9  # stored at both ports of 200 Gb/s
    for method, more in ("flow", 0), ("worm:deadlock=detect", 0), ("packet", packet):
        rows = sim(ring, "allreduce:ring,size=1MB,o=0ns,g=0ns", method)  # 6 steps of 250 kB between neighbours
        near(rows["completion_time"], 6 * (21e-6 + more), 0.002)
    switch = write("switch.txt", "3 1 2\n1\n0 1 100Gbps 1us 0\n2 1 100Gbps 1us 0\n")  # its second host is node 2
    near(sim(switch, "flows:" + write("flow.txt", "2\n0 2 3 100 1000000 2.0\n2 0 3 1000 2.0001\n"), "flow")["completion_time"],
         102.08e-6, 1e-6)
    wrong("two.flow:2: destination 'node1' is not", "sim", switch, "flows:" + write("two.flow", "1\n0 1 3 100 8 2\n"), "flow")
    wrong("flows:flow.txt reads these", "sim", switch, "messages:flow.txt", "flow")
    wrong("'soon' is not a delay", "check", write("bad.txt", "3 1 1\n2\n0 2 1Gbps soon 0\n"))
    anynet = write("any.txt", "router 0 node 0 node 1 5\n")
    assert "latencies 1 channels have latencies of their own, which are ignored" in right("sim", anynet, f"messages:{pair}", "flow",
                                                                        "--routing", "updn")


def servers():
    """Two servers of 4 GPUs, 360 GB/s each to the NVSwitch, and a NIC of 50 GB/s on each: what the file says is what is simulated."""
    lines = ["12 4 2 2 18 H100", "8 9", "10 11"]
    lines += [f"{g} {8 + g // 4} 2880Gbps 0.000025ms 0" for g in range(8)]
    lines += [f"{g} {10 + g % 2} 400Gbps 0.0005ms 0" for g in range(8)]
    lines += ["10 11 1600Gbps 0.0005ms 0"] * 2
    net = write("servers.txt", "\n".join(lines) + "\n")
    one = f"allreduce:algo=%s,ranks=%d,size=256MiB,{FREE}"
    def bandwidth(algorithm, ranks, *more):
        return sim(net, one % (algorithm, ranks), "flow", "--routing", "updn", *more)["bus_bandwidth"]
    near(bandwidth("ring", 4), 360, 0.01)
    """A ring over two servers has one NIC at a time; hierarchical has four: a quarter of the vector over each, half of it in
    either phase, while NVLinks move other parts."""
    near(bandwidth("ring", 8), 50, 0.01)
    bound = 2 * 7 / 8 * 4 * 50
    assert 0.85 * bound < bandwidth("hierarchical", 8) < bound, bandwidth("hierarchical", 8)
    near(bandwidth("ring", 4, "--physical", "default:node=none"), 50, 0.01)
    stated = right("sim", net, one % ("ring", 4), "flow", "--routing", "updn")
    assert "server:gpus=4,nics=4,nvlink=2880Gb/s,nvlink_delay=25ns,nvls=1" in stated and "NICs on the GPUs" in stated, stated
    assert "as the file describes them" in stated, stated
    assert "2 servers of 4 GPUs, 2880Gb/s each to the NVSwitch" in right("check", "--details", net, "--routing", "updn")
    """Endpoint 4 is GPU 4 of the file, the first of the second server."""
    rows = sim(net, "messages:" + write("pair.csv", "source,destination,size\n0,4,1000000\n"), "flow:size=1", "--routing", "updn")
    near(rows["completion_time"], 20e-6 + 1e-6, 0.01)
    rows = sim(net, "messages:pair.csv", "flow:size=1", "--routing", "updn", "--physical", "default:node=none")
    near(rows["completion_time"], 20e-6 + 1e-6, 0.01)
    rows = sim(net, "messages:" + write("near.csv", "source,destination,size\n0,3,1000000\n"), "flow:size=1", "--routing", "updn")
    near(rows["completion_time"], 1e6 / 360e9 + 50e-9, 0.01)


def job_lists():
    """A job on four GPUs of each of four nodes sends as its ranks placed there by a file."""
    head = "name,traffic,hosts,place\n"
    job = "allreduce:algo=nccl-ring,size=1GB"
    nodes = ["flow", "--physical", "hdr:node=dgx-a100"]
    gpus = [8 * node + gpu for node in range(4) for gpu in range(4)]
    place = write("gpus.place", "".join(f"{rank} {gpu}\n" for rank, gpu in enumerate(gpus)))
    placed = sim("xgft:down=32,up=1", f"{job},ranks=16,S=1,place={place}", *nodes)["completion_time"]
    for order in (gpus, gpus[4:] + gpus[:4]):
        listed = write("some.csv", head + f'a,"{job}",16,"list={" ".join(map(str, order))}"\n')
        near(sim("xgft:down=32,up=1", f"jobs:{listed},S=1", *nodes)["completion_time"], placed, 0.001)
    write("named.csv", "source,destination\nn0.gpu0,n1.gpu0\n")  # GPUs of the job by name
    listed = write("names.csv", head + 'a,"messages:named.csv",16,linear\n')
    assert sim("xgft:down=32,up=1", f"jobs:{listed}", *nodes)["messages"] == 1
    whole = sim("xgft:down=32,up=1", f"{job},ranks=16,S=1", *nodes)["completion_time"]
    for how in ("linear", "list=0-15", "list=8-23"):
        listed = write("whole.csv", head + f'a,"{job}",16,"{how}"\n')
        near(sim("xgft:down=32,up=1", f"jobs:{listed},S=1", *nodes)["completion_time"], whole, 0.001)


def lists():
    net = "xgft:down=4,up=1"
    endless = write("endless.cm", "Nodes 4\nConnections 1\n0->3 start 0 size 0\n")
    wrong("endless.cm:3: size 0 is an endless flow", "sim", net, f"cm:{endless}", "flow")
    flows = "Nodes 4\nConnections 2\n0->3 start 0 size 1000%s\n1->3 start 0 size 1000\n"
    assert "ignored priorities" in right("sim", net, "cm:" + write("prio.cm", flows % " prio 1"), "flow")
    assert "ignored" not in right("sim", net, "cm:" + write("plain.cm", flows % ""), "flow")
    sized = write("sized.csv", "source,destination,size\n0,1,1000000\n2,3,1000000\n")
    text = right("sim", net, f"messages:{sized}", "flow:size=1")
    assert "sizes 1B times the size in the list" in text and "a message" not in text, text
    assert "sizes 1MB a message" in right("sim", net, "messages:" + write("one.csv", "source,destination\n0,1\n"), "flow")
    queues = right("sim", "xgft:down=8,up=1", "cm:" + write(
        "incast.cm", "Nodes 8\nConnections 7\n" + "".join(f"{i}->0 start 0 size 1000000\n" for i in range(1, 8))), "packet", "--metrics", "all")
    assert " packets" in queues[queues.index("queue_max"):], queues


def traces():
    net = "xgft:down=2,up=1"
    wrong("has no messages and no computations", "sim", net,
          "goal:" + write("empty.goal", "num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n"), "flow")
    alone = write("alone.goal", "num_ranks 2\nrank 0 { calc 100 }\nrank 1 { calc 200 }\n")
    assert "messages none: the schedule has computations only" in right("sim", net, f"goal:{alone}", "flow")
    nics = write("nics.goal", "num_ranks 2\nrank 0 { send 8b to 1 nic 1 }\nrank 1 { recv 8b from 0 nic 1 }\n")
    assert "NICs 2 a rank" in right("sim", net, f"goal:{nics}", "flow")


def choice():
    """Constants of the choice are named; allgather with one GPU on each node would use PAT."""
    nodes = ["clos:radix=64,hosts=64", "flow:ideal=0", "--physical", "ndr:node=dgx-h100", "--routing", "dmodk"]
    assert "choice for Hopper GPUs and Intel CPUs" in right("sim", *nodes, "allreduce:algo=nccl,ranks=16,size=64KiB")
    assert "GPUs add, not NVSwitches" in right("sim", *nodes, "allreduce:algo=nvls-tree,ranks=64,size=1MB")
    assert "NCCL takes PAT here, which is not simulated" in right("sim", "xgft:down=64,up=1",
                                                                  "allgather:algo=nccl,size=4MiB", "flow:ideal=0")


def nvls_trees():
    """Both trees of a shard run at the same time, and so use their NICs better than chains in the nodes do."""
    def bandwidth(algorithm):
        return sim("clos:radix=64,hosts=64", f"allreduce:algo={algorithm},protocol=simple,size=64MiB", "flow:ideal=0",
                   "--physical", "ndr:node=dgx-h100", "--routing", "dmodk")["bus_bandwidth"]
    assert bandwidth("nvls-tree") > 1.1 * bandwidth("nccl-tree")


def derived_keys():
    """The traffic line has the keys that were written; assumes has what follows from them."""
    text = right("sim", "xgft:down=4,up=1", "allreduce:nccl-ring,size=1MB,protocol=ll", "flow:ideal=0")
    assert "traffic allreduce:algo=nccl-ring,size=1MB,ranks=4,protocol=ll seed" in text, text
    assert "hosts o=0ps, g=0ps, S=1B" in text, text
    text = right("sim", "xgft:down=4,up=1", "allreduce:nccl-ring,S=65535", "flow:ideal=0")
    assert "ranks=4,S=65535B seed" in text or "ranks=4,S=65535 seed" in text, text


def units():
    """Tables of studies have bus bandwidths in GB/s, as nccl-tests, however small."""
    study = write("bus.yaml", "study: bus\nnetwork: xgft:down=8,up=1\ntraffic: allreduce:size={size}\nmethod: flow\n"
                  "grid:\n  - size: [1000, 1000000]\nplot: {x: size, y: [bus_bandwidth], series: method}\n")
    text = right("run", study, "-o", "bus")
    assert " GB/s " in text and "MB/s" not in text, text


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    for test in (sends_overlap, ideal_hosts, ideal_share, throughput, delays, servers, job_lists, lists, traces, choice,
                 nvls_trees, derived_keys, units):
        test()
