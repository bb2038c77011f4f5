// Paths through the network, from the next hops that the page carries.
import type { NetData, NextHops } from './data';

export class Paths {
  private readonly cache: (Int32Array | undefined)[];

  constructor(
    readonly net: NetData,
    readonly hops: NextHops,
  ) {
    this.cache = new Array(hops.rows.length);
  }

  // The set of links by which a node sends to each endpoint.
  private row(node: number): Int32Array {
    let row = this.cache[node];
    if (!row) {
      row = new Int32Array(this.net.endpoints).fill(-1);
      const runs = this.hops.rows[node];
      for (let i = 0, e = 0; i + 1 < runs.length; i += 2) {
        row.fill(runs[i], e, e + runs[i + 1]);
        e += runs[i + 1];
      }
      this.cache[node] = row;
    }
    return row;
  }

  next(node: number, endpoint: number): number[] {
    const set = this.row(node)[endpoint];
    return set < 0 ? [] : this.hops.sets[set];
  }

  // Adds the share that each link carries of one flow; choices are taken evenly. Returns whether all of it arrives.
  add(from: number, to: number, load: Float64Array): boolean {
    if (from === to) return true;
    let wave = new Map<number, number>([[from, 1]]);
    let arrived = 0;
    for (let step = 0; step < 64 && wave.size; step++) {
      const further = new Map<number, number>();
      for (const [node, share] of wave) {
        const links = this.next(node, to);
        for (const link of links) {
          const part = share / links.length;
          load[link] += part;
          const end = this.net.to[link];
          if (end === to) arrived += part;
          else further.set(end, (further.get(end) ?? 0) + part);
        }
      }
      wave = further;
    }
    return arrived > 0.999999;
  }

  // The links of all paths from one endpoint to another, hop by hop; the last hop is empty where a path ends early.
  all(from: number, to: number): number[][] {
    const hops: number[][] = [];
    let nodes = new Set<number>([from]);
    while (nodes.size && hops.length < 64) {
      const links = new Set<number>();
      const further = new Set<number>();
      for (const node of nodes)
        for (const link of this.next(node, to)) {
          links.add(link);
          if (this.net.to[link] !== to) further.add(this.net.to[link]);
        }
      hops.push([...links]);
      if (!links.size) break;
      nodes = further;
    }
    return hops;
  }
}
