#!/usr/bin/env python3
"""Twice the input takes at most 2.5 times the instructions, whatever is read.

    tests/cli/growth_test.py BOUGH [SHARE/SHARES | FORMAT...]

Every format is written at a size and at twice that size, and read by a command that does little else. Valgrind counts
the instructions (the same on every machine); those of a command that reads next to nothing are subtracted. Also files
that no program writes: thousands of brackets, attributes, columns, keys. SHARE/SHARES: a part of the formats. With
GROWTH_VERBOSE=1 every ratio is printed. Skipped (77) without valgrind."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 2.5
LEAST = 2e6  # instructions of the smaller file: with fewer, its reader would not be what is measured

if not shutil.which("valgrind"):
    print("valgrind is missing")
    sys.exit(77)
BOUGH = os.path.abspath(sys.argv[1])
with open(BOUGH, "rb") as binary:
    if b"__asan_init" in binary.read():
        print("valgrind does not run sanitized programs")
        sys.exit(77)
DIR = tempfile.mkdtemp(prefix="bough-growth-")

# ---- networks ----

HOSTS, UP = 14, 2  # of a leaf


class Cluster:
    """n leaves of 14 hosts; two cables from a leaf to one of n / 8 spines, which form a tree. nodes: name to (GUID, LID,
    [(port, peer, port of the peer)])."""

    def __init__(self, n):
        self.cables, self.nodes = [], {}
        for leaf in range(n):
            for host in range(HOSTS):
                self.cable(f"h{leaf}-{host}", 1, f"leaf{leaf}", host + 1)
            for up in range(UP):
                self.cable(f"leaf{leaf}", HOSTS + up + 1, f"spine{leaf // 8}", leaf % 8 * UP + up + 1)
        for spine in range(1, (n + 7) // 8):
            self.cable(f"spine{spine}", 17, f"spine{(spine - 1) // 3}", 18 + (spine - 1) % 3)
        for lid, name in enumerate(self.nodes, 1):
            self.nodes[name] = (0x1000 + lid, lid, self.nodes[name][2])

    def cable(self, a, p, b, q):
        for x, port, y, other in ((a, p, b, q), (b, q, a, p)):
            self.nodes.setdefault(x, (0, 0, []))[2].append((port, y, other))
        self.cables.append((a, p, b, q))

    def guid(self, name):
        return self.nodes[name][0]

    def lid(self, name):
        return self.nodes[name][1]


def is_host(name):
    return name.startswith("h")


def ibnetdiscover(n):
    c, lines = Cluster(n), []

    def ident(name):
        return f'"{"H" if is_host(name) else "S"}-{c.guid(name):016x}"'

    for name, (_, lid, ends) in c.nodes.items():
        if is_host(name):
            lines.append(f'Ca\t1 {ident(name)}\t\t# "{name}"')
        else:
            lines.append(f'Switch\t20 {ident(name)}\t\t# "{name}" base port 0 lid {lid} lmc 0')
        for port, peer, other in ends:
            mine = f"({c.guid(name):x}) " if is_host(name) else ""
            its = f"({c.guid(peer):x}) " if is_host(peer) else ""
            own = f"lid {lid} lmc 0 " if is_host(name) else ""
            lines.append(f'[{port}]{mine}\t{ident(peer)}[{other}]{its}\t\t# {own}"{peer}" lid {c.lid(peer)} 4xEDR')
        lines.append("")
    return "\n".join(lines)


def port_report(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        for port, peer, other in ends:
            kinds = ["CA" if is_host(x) else "SW" for x in (name, peer)]
            lines.append(f"{kinds[0]} {lid:5} {port:2} 0x{guid:016x} 4x EDR - {kinds[1]} {c.lid(peer):5} {other:2} "
                         f"0x{c.guid(peer):016x} ( '{name}' - '{peer}' )")
    return "\n".join(lines) + "\n"


def iblinkinfo(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        lines.append(f"CA: {name}:" if is_host(name) else f"Switch: 0x{guid:016x} {name}:")
        for port, peer, other in ends:
            own = f"      0x{guid:016x} " if is_host(name) else "           "
            lines.append(f'{own}{lid:6} {port:4}[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  {c.lid(peer):6} '
                         f'{other:4}[  ] "{peer}" ( )')
    return "\n".join(lines) + "\n"


def iblinkinfo_lines(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        for port, peer, other in ends:
            lines.append(f'0x{guid:016x} "{name:>20}" {lid:6} {port:4}[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>'
                         f'  0x{c.guid(peer):016x} {c.lid(peer):6} {other:4}[  ] "{peer}" ( )')
    return "\n".join(lines) + "\n"


def db_csv(n):
    c = Cluster(n)
    lines = ["START_NODES", "NodeDesc,NumPorts,NodeType,NodeGUID"]
    lines += [f'"{x}",{1 if is_host(x) else 20},{1 if is_host(x) else 2},0x{c.guid(x):x}' for x in c.nodes]
    lines += ["END_NODES", "START_PORTS", "NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv"]
    for name, (guid, lid, ends) in c.nodes.items():
        lines += [f"0x{guid:x},0x{guid:x},0,{lid},0,0,0"] if not is_host(name) else []
        lines += [f"0x{guid:x},0x{guid:x},{port},{lid},0,2,2048" for port, _, _ in ends]
    lines += ["END_PORTS", "START_LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2"]
    lines += [f"0x{c.guid(a):x},{p},0x{c.guid(b):x},{q}" for a, p, b, q in c.cables]
    return "\n".join(lines + ["END_LINKS", ""])


def subnet_list(n):
    c = Cluster(n)

    def end(name, port):
        kind = "CA Ports:01" if is_host(name) else "SW Ports:14"
        return (f"{{ {kind} SystemGUID:{c.guid(name):016x} NodeGUID:{c.guid(name):016x} PortGUID:{c.guid(name):016x} "
                f"VenID:000002C9 DevID:CF080000 Rev:000000A0 {{{name}}} LID:{c.lid(name):04X} PN:{port:02X} }}")

    return "".join(f"{end(a, p)} {end(b, q)} PHY=4x LOG=ACT SPD=25\n" for a, p, b, q in c.cables)


def net_dump(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        if is_host(name):
            continue
        lines += [f'"{name}", Mellanox, 0x{guid:x}, LID {lid}',
                  " # : IB# : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description"]
        lines += [f' p{port} : {port} : ACT : 4x : 25 : 0x{c.guid(peer):x} : {other if is_host(peer) else f"p{other}"} : '
                  f'{c.lid(peer)} : "{peer}"' for port, peer, other in ends]
    return "\n".join(lines + [""])


def netlist(n):
    c, lines = Cluster(n), []
    for name, (_, _, ends) in c.nodes.items():
        lines.append(f'{"Hca 1" if is_host(name) else "Switch 20"} "{name}"')
        lines += [f'[{port}] "{peer}"[{other}]' for port, peer, other in ends]
    return "\n".join(lines + [""])


def orcs(n):
    c = Cluster(n)
    names = {x: f"{'H' if is_host(x) else 'S'}{c.lid(x)}" for x in c.nodes}
    lines = ['strict digraph "g" {']
    for name, (_, _, ends) in c.nodes.items():
        for _, peer, _ in {peer: (0, peer, 0) for _, peer, _ in ends}.values():
            extra = f'hostname="{name}", ' if is_host(name) else ""
            lines.append(f'{names[name]} -> {names[peer]} [{extra}comment="H1"];')
    return "\n".join(lines + ["}", ""])


def cable_csv(n):
    return "node,port,node,port,rate\n" + "".join(f"{a},{p},{b},{q},25Gb/s\n" for a, p, b, q in Cluster(n).cables)


def netbox(n):
    return "ID,Termination A,Device A,Termination B,Device B,Status\n" + "".join(
        f"{i},{p},{a},{q},{b},c\n" for i, (a, p, b, q) in enumerate(Cluster(n).cables))


def ptm(n):
    return "graph dc {\n" + "".join(f'"{a}":"p{p}" -- "{b}":"p{q}";\n' for a, p, b, q in Cluster(n).cables) + "}\n"


def ptm_line(n):
    """All on one line."""
    return "digraph dc { " + " ".join(f'"{a}":"p{p}" -> "{b}":"p{q}";' for a, p, b, q in Cluster(n).cables) + " }"


def ibdm(n):
    """Systems of two chips, as their IBNL says, and adapters without a description."""
    c, board = Cluster(n), "TOPSYSTEM M\nNODE SW 40 MT1 U1\n"
    board += "".join(f"{i} -> P{i}\n" for i in range(1, 21)) + "21 -> U2 1\nNODE SW 40 MT1 U2\n2 -> P21\n3 -> P22\n"
    return board + "".join(
        f"M {name}\n" + "".join(f"P{port} -> {'CA' if is_host(peer) else 'M'} {peer} P{other}\n" for port, peer, other in ends)
        for name, (_, _, ends) in c.nodes.items() if not is_host(name))


def ibnl(n):
    """A description of n chips, which form a tree."""
    return "TOPSYSTEM M\nNODE SW 4 MT1 U0\n4 -> P0\n" + "".join(
        f"NODE SW 4 MT1 U{i}\n1 -> U{(i - 1) // 2} {2 + (i - 1) % 2}\n4 -> P{i}\n" for i in range(1, n)) + (
            f"M a\nP0 -> CA h0 P1\nP{n - 1} -> CA h1 P1\n")


def netq_lldp(n):
    return json.dumps({"lldp": [{"hostname": a, "ifname": f"swp{p}", "peerHostname": b, "peerIfname": f"swp{q}"}
                                for a, p, b, q in Cluster(n).cables]})


def netq_text(n):
    row = "{:12}  {:12}  {:12}  {:12}\n".format
    return (row("Hostname", "Interface", "Peer Hostname", "Peer Port") + row(*["-" * 12] * 4)
            + "".join(row(a, f"swp{p}", b, f"swp{q}") for a, p, b, q in Cluster(n).cables))


def topograph_model(n):
    leaves = "".join(f"- switch: leaf{i}\n  nodes: [\"h[{HOSTS * i}-{HOSTS * i + HOSTS - 1}]\"]\n" for i in range(n))
    return "switches:\n" + "".join(
        f"  spine{i}: {{switches: [{', '.join(f'leaf{k}' for k in range(8 * i, min(8 * i + 8, n)))}]}}\n"
        for i in range((n + 7) // 8)) + "blocks:\n" + leaves


def topograph_json(n):
    return json.dumps({"instances": [{"id": f"h{i}-{k}", "network_layers": [f"leaf{i}", f"spine{i // 8}"], "labels": {}}
                                     for i in range(n) for k in range(HOSTS)]})


def numbered(n):
    """A cluster whose nodes are numbers, hosts first: (hosts, nodes, cables without ports)."""
    c = Cluster(n)
    names = sorted(c.nodes, key=lambda x: (not is_host(x), c.lid(x)))
    number = {x: i for i, x in enumerate(names)}
    hosts = sum(map(is_host, names))
    return hosts, len(names), [(number[a], number[b]) for a, _, b, _ in c.cables]


def anynet(n):
    hosts, _, cables = numbered(n)
    return "".join(f"router {b - hosts} " + (f"node {a}\n" if a < hosts else f"router {a - hosts}\n")
                   for a, b in dict.fromkeys(cables))


def ns3(n):
    hosts, nodes, cables = numbered(n)
    switches = " ".join(map(str, range(hosts, nodes)))
    return f"{nodes} {nodes - hosts} {len(cables)}\n{switches}\n" + "".join(
        f"{a} {b} 100Gbps 1us 0\n" for a, b in cables)


def node_link(n):
    c = Cluster(n)
    return json.dumps({"directed": False, "nodes": [{"id": x, "kind": "host" if is_host(x) else "switch"} for x in c.nodes],
                       "links": [{"source": a, "target": b, "rate": "25Gb/s"} for a, _, b, _ in c.cables]})


def lldp(n):
    c, hosts = Cluster(n), {}
    for name, (_, _, ends) in c.nodes.items():
        hosts[name] = {"lldp": {"interface": [
            {f"p{port}": {"chassis": {peer: {"capability": {"type": "Station" if is_host(peer) else "Bridge",
                                                            "enabled": True}}},
                          "port": {"id": {"type": "ifname", "value": f"p{other}"}}}} for port, peer, other in ends]}}
    return json.dumps(hosts)


GRAPHML = ('<?xml version="1.0"?>\n<graphml>\n<key id="d0" for="node" attr.name="kind" attr.type="string"/>\n%s'
           '<graph edgedefault="undirected">\n%s</graph>\n</graphml>\n')


def graphml(n):
    c = Cluster(n)
    body = "".join(f'<node id="{x}"><data key="d0">{"host" if is_host(x) else "switch"}</data></node>\n' for x in c.nodes)
    return GRAPHML % ("", body + "".join(f'<edge source="{a}" target="{b}"/>\n' for a, _, b, _ in c.cables))


def graphml_attributes(n):
    return GRAPHML % ("", "<node id='a' " + " ".join(f"a{i}='{i}'" for i in range(n)) + "/>\n")


def graphml_keys(n):
    return GRAPHML % ("".join(f'<key id="k{i}" for="node" attr.name="a{i}" attr.type="string"/>\n' for i in range(n)), "")


def topology_conf(n):
    lines = [f"SwitchName=leaf{i} Nodes=h{i}-[0-13]" for i in range(n)]
    lines += [f"SwitchName=spine{i} Switches=leaf[{8 * i}-{min(8 * i + 8, n) - 1}]" for i in range((n + 7) // 8)]
    return "\n".join(lines + [f"SwitchName=top Switches=spine[0-{(n + 7) // 8 - 1}]", ""])


def topology_names(n):
    """One switch whose hosts are listed one by one."""
    return "SwitchName=s0 Nodes=" + ",".join(f"h{i}x" for i in range(n)) + "\n"


def brackets(n):
    """A hostlist of one name and many numbers that do not follow each other."""
    return "nobody[" + ",".join(str(2 * i + 1) for i in range(n)) + "]"


def topology_brackets(n):
    return f"SwitchName=s0 Nodes={brackets(n)}\n"


# ---- what belongs to a small fabric ----

SMALL = Cluster(4)
LEAF, HOST = SMALL.guid("leaf0"), SMALL.guid("h0-0")


def lfts(n):
    """Tables of the leaves, with LIDs that nobody has."""
    lines = []
    for leaf in range(4):
        lines.append(f"Unicast lids [0x0-0x{n:x}] of switch Lid {SMALL.lid(f'leaf{leaf}')} guid "
                     f"0x{SMALL.guid(f'leaf{leaf}'):016x} ('leaf{leaf}'):")
        lines += [f"0x{lid:04x} {lid % 16 + 1:03} # Channel Adapter portguid 0x{lid:016x}: 'x{lid}'" for lid in range(1, n)]
        lines.append(f"{n - 1} lids dumped")
    return "\n".join(lines + [""])


def fdbs(n):
    lines = []
    for leaf in range(4):
        lines += [f"dump_ucast_routes: Switch 0x{SMALL.guid(f'leaf{leaf}'):016x}", "LID    : Port : Hops : Optimal"]
        lines += [f"0x{lid:04X} : {lid % 16 + 1:03}  : 01   : yes" for lid in range(1, n)]
    return "\n".join(lines + [""])


def far(n):
    lines = ["File version: 1", "", f"Switch 0x{LEAF:016x} ar_enabled, fr_enabled", "Groups Definition:",
             "Group   Sub Group   WHBF   Ports", "-" * 32]
    lines += [f"{group}       0           0      15,16," for group in range(1, n)]
    lines += ["", "LFT Definition:", "PLFT_NUM: 0, top:0xbfff", "LID      Static Port   Lid State   Group", "-" * 40]
    lines += [f"0x{lid:04x}   15             Free        {lid}" for lid in range(1, n)]
    return "\n".join(lines + [""])


def perfquery(n):
    return "".join(f"# Port counters: Lid {SMALL.lid(f'leaf{i % 4}')} port {i % 16 + 1} (CapMask: 0x1300)\n"
                   f"PortXmitData:....................{i}\nPortXmitWait:....................{i}\n" for i in range(n))


def query_errors(n):
    return f'Data Counters for 0x{LEAF:x} "leaf0"\n' + "".join(
        f"   GUID 0x{LEAF:x} port {i % 16 + 1}: [PortXmitData == {i} (1KB)] [PortXmitWait == {i}]\n" for i in range(n))


def pm_info(n):
    return ("START_PM_INFO\nNodeGUID,PortGUID,PortNumber,PortXmitData,PortXmitWait\n" + "".join(
        f"0x{LEAF:x},0x{LEAF:x},{i % 16 + 1},{i},7\n" for i in range(n)) + "END_PM_INFO\n")


def pm_columns(n):
    return ("START_PM_INFO\nNodeGUID,PortGUID,PortNumber,PortXmitData," + ",".join(f"c{i}" for i in range(n))
            + f"\n0x{LEAF:x},0x{LEAF:x},1,5" + ",1" * n + "\nEND_PM_INFO\n")


def prometheus(n):
    return "".join(f'infiniband_switch_port_transmit_data_bytes_total{{guid="0x{LEAF:x}",port="{i % 16 + 1}",switch="s{i}"}} '
                   f"{i}\n" for i in range(n))


def prometheus_labels(n):
    return (f'infiniband_switch_port_transmit_data_bytes_total{{guid="0x{LEAF:x}",port="1"'
            + "".join(f',l{i}="{i}"' for i in range(n)) + "} 5\n")


def unknown_names(n):
    """Hosts of which the fabric has one."""
    return "h0-0\n" + "".join(f"nobody{i}\n" for i in range(n))


def hostlist(n):
    return ",".join(f"nobody{i}x" for i in range(n)) + ",h0-0"


def hostlist_brackets(n):
    return brackets(n) + ",h0-0"


# ---- traffic ----


def messages(n):
    return "source,destination,size\n" + "".join(f"{i % 16},{(i + 1) % 16},1Ki\n" for i in range(n))


def connections(n):
    return f"Nodes 16\nConnections {n}\n" + "".join(
        f"{i % 16}->{(i + 1) % 16} id {i + 1} start {i} size 1000\n" for i in range(n))


def triggers(n):
    """Each message starts the next; described in the reverse order."""
    return f"Nodes 16\nConnections {n}\nTriggers {n - 1}\n" + "".join(
        f"{i % 16}->{(i + 1) % 16} id {i + 1} " + (f"trigger {i} " if i else "start 0 ") + "size 1000"
        + (f" send_done_trigger {i + 1}\n" if i < n - 1 else "\n") for i in range(n)) + "".join(
            f"trigger id {i} oneshot\n" for i in reversed(range(1, n)))


def matrix(n):
    """n numbers; refused in the last line: they are not sent."""
    side = int(n ** 0.5)
    return (" ".join(["1"] * side) + "\n") * side + "x\n"


def jobs_place(n):
    """Refused in the last line: the schedules are not made."""
    return "hosts,traffic,place\n" + f'{n},shift,"list=' + " ".join(str(i) for i in range(n)) + '"\nx,shift,\n'


def jobs_brackets(n):
    return f'hosts,traffic\n"h0-0,{brackets(n)}",shift\n'


def place_file(n):
    """Refused in the last line."""
    return "".join(f"{i} {i}\n" for i in range(n)) + "x\n"


def goal(n):
    lines = ["num_ranks 2"]
    for rank, word in enumerate(("send 8b to 1", "recv 8b from 0")):
        lines += [f"rank {rank} {{"] + [f"l{i}: {word} tag {i}" for i in range(n)]
        lines += [f"l{i} requires l{i - 1}" for i in range(1, n)] + ["}"]
    return "\n".join(lines + [""])


def mpi_trace(n):
    """One rank."""
    return "MPI_Init:-:1:1:100.0\n" + "".join(f"MPI_Allreduce:{200 + 10 * i}.0:1:1:1:11,8,8:3:0,0,1:{205 + 10 * i}.0\n"
                                              for i in range(n)) + f"MPI_Finalize:{300 + 10 * n}:-\n"


def chakra(n):
    return json.dumps({"workload_graph": [
        {"Id": i, "NodeType": 4, "runtime": 5, "data_deps": [i - 1] if i else []} for i in range(n)]})


def aicb(n):
    return ("[ pp_stage0: [rank0, rank1] ]\ncomm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,count\n"
            "CommType.epoch_end,None,None,0,,None,None,,1\n"
            + "CommType.all_reduce,CommGroup.tp_group,2,8,forward_step,None,None,,1\n" * n)


def simai(n):
    return (f"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 2\n{n}\n"
            + "mlp -1 5 ALLREDUCE 16 5 NONE 0 5 NONE 0 7\n" * n)


MODEL = "model: {layers: 2, hidden: 64, heads: 4, ffn: 256, vocab: 100, seq: 32}\nbatch: {global: 2}\n%sgpu: h100\n"


def model_sections(n):
    return MODEL % "".join(f"x{i}: {{a: 1}}\n" for i in range(n))


def model_brackets(n):
    return MODEL % ("x: " + "[\n" * n + "]\n" * n)


# ---- values, prices ----


def values(n):
    return "metric,value,index,n\nrounds,4.7,,\n" + "".join(f"delivered_round,{i},{i + 1},8\n" for i in range(n))


def nccl_text(n):
    return ("# nThread 1 nGpus 1\n# Collective test starting: all_reduce_perf\n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw\n"
            + "".join(f"{2048 + 4 * i} {512 + i} float sum -1 12.34 0.17 0.25 0 11.10 0.18 0.27 0\n" for i in range(n)))


def nccl_json(n):
    timed = {"time": 12.34, "alg_bw": 0.17, "bus_bw": 0.25, "nwrong": 0}
    return json.dumps({"version": 3, "args": ["all_reduce_perf"], "config": {"nthreads": 1, "ngpus": 1, "devices": [
        {"rank": 0}, {"rank": 1}]}, "results": [{"size": 2048 + 4 * i, "count": 512 + i, "type": "float", "redop": "sum",
                                                 "root": "-1", "out_of_place": timed, "in_place": timed} for i in range(n)]})


def prices(n):
    return "item,price\n" + "# a comment\n" * n + "switch,5\ncable,1\nhost,1\n"


def tuning(n):
    return "collective,nodes_from,nodes_to,bytes_to,algorithm,protocol,channels\n" + "".join(
        f"allreduce,1,1,{i + 1},nccl-tree,ll,2\n" for i in range(n)) + "allreduce,,,,nccl-tree,ll,2\n"


# ---- studies and specs ----

STUDY = "network: fattree:n=8\ntraffic: uniform:m=8\nmethods: [bins]\n"


def study_list(n):
    """A list of names that are no methods."""
    return "network: fattree:n=8\ntraffic: uniform:m=8\nmethods: [" + ", ".join(f"x{i}" for i in range(n)) + "]\n"


def study_values(n):
    """A grid of which the last value is none."""
    return STUDY + "grid:\n  - n: [" + ", ".join(str(i) for i in range(n)) + ", 2^]\n"


def study_keys(n):
    return STUDY + "plot: {x: n, curves: {" + ", ".join(f"c{i}: {i}" for i in range(n)) + "}}\n"


def study_brackets(n):
    return STUDY + "grid: " + "[\n" * n + "]\n" * n


def study_braces(n):
    return STUDY + "grid: " + "{a:\n" * n + "}\n" * n


def study_blocks(n):
    """Sequences within sequences, of one more column each; n: bytes."""
    depth = int((2 * n) ** 0.5)
    return STUDY + "grid:\n" + "".join(" " * i + "-\n" for i in range(depth))


def study_anchors(n):
    return STUDY + "grid:\n" + "".join(f"  - &a{i} x\n" for i in range(n))


def nested_json(n):
    return '{"nodes": ' + "[" * n + "]" * n + "}"


# ---- what reads them ----

NET = ("net", "FILE")
SIM = ("sim", "fattree:n=16")
CHECK = ("check", "SMALL", "--trials", "1")


def flows(n):
    return f"{n}\n" + "".join(f"{i % 16} {(i + 1) % 16} 3 100 1000 {2 + i / n}\n" for i in range(n))


def msccl(n):
    """Two GPUs exchange n chunks."""
    step = '<step s="{0}" type="{1}" srcbuf="i" srcoff="{0}" dstbuf="i" dstoff="{0}" cnt="1" depid="-1" deps="-1"/>\n'
    gpu = '<gpu id="{0}" i_chunks="{2}"><tb id="0" send="{1}" recv="-1" chan="0">{3}</tb><tb id="1" send="-1" recv="{1}" chan="0">{4}</tb></gpu>\n'
    sends = "".join(step.format(i, "s") for i in range(n))
    adds = "".join(step.format(i, "rrc").replace('depid="-1" deps="-1"', f'depid="0" deps="{i}"') for i in range(n))
    return '<algo coll="allreduce" ngpus="2" inplace="1">' + gpu.format(0, 1, n, sends, adds) + gpu.format(1, 0, n, sends, adds) + "</algo>\n"


def simgrid(n):
    hosts, nodes, cables = numbered(n)
    names = [f"{'h' if i < hosts else 's'}{i}" for i in range(nodes)]
    return ("<platform version='4.1'><zone id='z' routing='Floyd'>\n"
            + "".join(f"<host id='{x}'/>\n" if x[0] == "h" else f"<router id='{x}'/>\n" for x in names)
            + "".join(f"<link id='l{i}' bandwidth='1GBps' latency='1us'/>\n" for i in range(len(cables)))
            + "".join(f"<route src='{names[a]}' dst='{names[b]}'><link_ctn id='l{i}'/></route>\n" for i, (a, b) in enumerate(cables))
            + "</zone></platform>\n")


READERS = {
    # name: (function, size, the words; FILE: what the function wrote; TEXT: the text itself; SMALL: a fabric)
    "ibnetdiscover": (ibnetdiscover, 40, NET),
    "ibnetdiscover-p": (port_report, 40, NET),
    "iblinkinfo": (iblinkinfo, 40, NET),
    "iblinkinfo--line": (iblinkinfo_lines, 40, NET),
    "db_csv": (db_csv, 40, NET),
    "lst": (subnet_list, 40, NET),
    "net_dump": (net_dump, 40, NET),
    "net": (netlist, 40, NET),
    "orcs": (orcs, 40, NET),
    "csv": (cable_csv, 40, NET),
    "netbox": (netbox, 40, NET),
    "ptm": (ptm, 40, NET),
    "ptm-line": (ptm_line, 40, NET),
    "ibdm": (ibdm, 40, NET),
    "ibnl": (ibnl, 1000, NET),
    "netq-lldp": (netq_lldp, 40, NET),
    "netq-text": (netq_text, 40, NET),
    "topograph": (topograph_model, 40, NET),
    "topograph-json": (topograph_json, 40, NET),
    "anynet": (anynet, 40, NET),
    "ns-3": (ns3, 40, NET),
    "simgrid": (simgrid, 40, NET),
    "json": (node_link, 40, NET),
    "lldp": (lldp, 40, NET),
    "graphml": (graphml, 40, NET),
    "graphml-attributes": (graphml_attributes, 20000, NET),
    "graphml-keys": (graphml_keys, 10000, NET),
    "topology.conf": (topology_conf, 40, NET),
    "topology-names": (topology_names, 20000, NET),
    "json-brackets": (nested_json, 200000, NET),
    "lfts": (lfts, 8000, (*CHECK, "--lft", "FILE")),
    "fdbs": (fdbs, 8000, (*CHECK, "--lft", "FILE")),
    "far": (far, 8000, (*CHECK, "--routing", "adaptive:file=FILE")),
    "perfquery": (perfquery, 5000, (*CHECK, "--routing", "updn", "--counters", "FILE")),
    "ibqueryerrors": (query_errors, 5000, (*CHECK, "--routing", "updn", "--counters", "FILE")),
    "pm_info": (pm_info, 10000, (*CHECK, "--routing", "updn", "--counters", "FILE")),
    "pm-columns": (pm_columns, 20000, (*CHECK, "--routing", "updn", "--counters", "FILE")),
    "prometheus": (prometheus, 10000, (*CHECK, "--routing", "updn", "--counters", "FILE")),
    "prometheus-labels": (prometheus_labels, 20000, (*CHECK, "--routing", "updn", "--counters", "FILE")),
    "order": (unknown_names, 20000, ("net", "SMALL", "--order", "FILE")),
    "hostlist": (hostlist, 4500, (*CHECK, "--routing", "updn", "--place", "TEXT")),
    "hostlist-brackets": (hostlist_brackets, 9000, (*CHECK, "--routing", "updn", "--place", "TEXT")),
    "topology-brackets": (topology_brackets, 20000, NET),
    "slurm-brackets": (topology_brackets, 20000, (*CHECK, "--slurm", "FILE")),
    "jobs-brackets": (jobs_brackets, 20000, ("sim", "SMALL", "jobs:FILE", "loggops")),
    "slurm": (topology_names, 8000, (*CHECK, "--slurm", "FILE")),
    "roots": (unknown_names, 8000, ("sim", "SMALL", "shift", "linkload", "--routing", "updn:roots=FILE")),
    "messages": (messages, 10000, (*SIM, "messages:FILE", "linkload")),
    "cm": (connections, 10000, (*SIM, "cm:FILE", "linkload")),
    "flows": (flows, 10000, (*SIM, "flows:FILE", "linkload")),
    "msccl": (msccl, 2000, (*SIM, "allreduce:algo=msccl:FILE", "loggops")),
    "cm-triggers": (triggers, 5000, (*SIM, "cm:FILE", "linkload")),
    "matrix": (matrix, 100000, ("sim", "fattree:n=1024", "matrix:FILE", "loggops")),
    "jobs": (jobs_place, 20000, (*SIM, "jobs:FILE", "loggops")),
    "place": (place_file, 7000, ("sim", "fattree:n=16384", "broadcast:size=1,place=FILE", "loggops")),
    "goal": (goal, 5000, (*SIM, "goal:FILE", "loggops")),
    "mpitrace": (mpi_trace, 5000, (*SIM, "mpitrace:FILE", "loggops")),
    "chakra": (chakra, 2500, (*SIM, "chakra:FILE,ranks=1", "loggops")),
    "aicb": (aicb, 2500, (*SIM, "aicb:FILE", "loggops")),
    "simai": (simai, 2000, (*SIM, "simai:FILE", "loggops")),
    "model-keys": (model_sections, 4000, (*SIM, "train:FILE", "loggops")),
    "model-brackets": (model_brackets, 20000, (*SIM, "train:FILE", "loggops")),
    "data": (values, 10000, (*SIM, "shift", "data:FILE")),
    "nccl-tests": (nccl_text, 5000, (*SIM, "allreduce:nccl-ring,ranks=2,size=2048", "data:FILE")),
    "nccl-tests-json": (nccl_json, 2000, (*SIM, "allreduce:nccl-ring,ranks=2,size=2048", "data:FILE")),
    "prices": (prices, 50000, ("plan", "--hosts", "64", "--radix", "16", "--prices", "FILE")),
    "tuning": (tuning, 10000, (*SIM, "allreduce:algo=nccl,size=1MB,tuning=FILE", "loggops")),
    "study": (study_list, 6000, ("run", "FILE", "--dry-run")),
    "study-values": (study_values, 10000, ("run", "FILE", "--dry-run")),
    "study-keys": (study_keys, 5000, ("run", "FILE", "--dry-run")),
    "study-brackets": (study_brackets, 20000, ("run", "FILE", "--dry-run")),
    "study-braces": (study_braces, 20000, ("run", "FILE", "--dry-run")),
    "study-blocks": (study_blocks, 200000, ("run", "FILE", "--dry-run")),
    "study-anchors": (study_anchors, 10000, ("run", "FILE", "--dry-run")),
}


# Refused before all of the file is read.
EARLY = ("graphml-attributes", "json-brackets", "model-brackets", "study-brackets",
         "study-braces", "study-blocks", "study-anchors")


def write(name, text):
    path = os.path.join(DIR, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def count(words):
    """(instructions, exit status, what the command said)."""
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                           "--log-file=" + os.path.join(DIR, "log"), os.path.join(DIR, "bough"), *words],
                          capture_output=True, text=True, errors="replace", cwd=DIR,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"})
    with open(os.path.join(DIR, "log"), encoding="utf-8", errors="replace") as log:
        found = re.search(r"I +refs: +([0-9,]+)", log.read())
    if not found or done.returncode not in (0, 2):
        raise SystemExit(f"{words}: exit status {done.returncode}\n{done.stderr}")
    return int(found[1].replace(",", "")), done.returncode, done.stderr.strip().split("\n")[-1]


def count_reading(words, text):
    path, small = write("file", text), os.path.join(DIR, "small")
    return count([w.replace("FILE", path).replace("SMALL", small).replace("TEXT", text) for w in words])


def examine(name, least):
    """What is wrong, or None. least: instructions of the command without a file."""
    make, size, words = READERS[name]
    (once, _, _), (twice, status, said) = (count_reading(words, make(k * size)) for k in (1, 2))
    ratio = (twice - least) / max(once - least, 1)
    if os.environ.get("GROWTH_VERBOSE"):
        print(f"{name:20} {ratio:6.2f} {once / 1e6:7.1f} {twice / 1e6:7.1f} M  {status} {said}", flush=True)
    if name in EARLY and status == 2 and ratio < MOST:
        return None
    if ratio > MOST:
        return f"{once / 1e6:.1f} million instructions, and {twice / 1e6:.1f} for twice the file: {ratio:.2f} times"
    if once - least < LEAST:
        return f"only {(once - least) / 1e6:.1f} million instructions of the reader: {said}"
    return None


# The same commands where there is next to nothing to read.
NOTHING = {"net": ("net", "kary:k=2,levels=1"), "sim": (*SIM, "shift", "linkload"), "run": ("run", "--help"),
           "check": (*CHECK, "--routing", "updn"), "plan": ("plan", "--hosts", "64", "--radix", "16")}


def main():
    names = list(READERS)
    if len(sys.argv) == 3 and "/" in sys.argv[2]:
        share, shares = map(int, sys.argv[2].split("/"))
        names = names[share - 1::shares]
    elif sys.argv[2:]:
        names = sys.argv[2:]
    # Without its symbols valgrind starts in a third of the time.
    subprocess.run(["strip", "-o", os.path.join(DIR, "bough"), BOUGH], check=True)
    write("small", ibnetdiscover(4))
    least, failed = {}, 0
    for name in names:
        command = READERS[name][2][0]
        if command not in least:
            least[command] = count_reading(NOTHING[command], "")[0]
        wrong = examine(name, least[command])
        if wrong:
            print(f"{name}: {wrong}", flush=True)
            failed += 1
    shutil.rmtree(DIR)
    print(f"{len(names)} readers, {failed} failed")
    return failed != 0


sys.exit(main())
