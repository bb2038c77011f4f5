// What the command embeds in the page: src/report/pages/study_page.c and src/report/pages/fabric_page.c write it.

// What a chart draws: [x, label, mean, ci95, min, max, trials, exact, status, network, faults, routing, traffic,
// method, against, where x is a metric: ends of the bar of x]; texts are indices into `strings`, -1: none; numbers that do not exist are null.
export type PointRow = (number | null)[];

export interface SeriesData {
  name: string;
  style: number;
  metric?: string; // of an overlay
  saturated: number | null; // the smallest x at which it is saturated, where it may have no point
  points: PointRow[];
}

// A line without marks: a curve of the study, a vertical (its x alone counts), or the mean of a series of ratios.
export interface CurveData {
  name: string;
  style: number;
  mean: boolean;
  vertical: boolean;
  x: number[];
  y: number[];
}

export interface ChartData {
  title: string;
  x: string;
  y: string;
  metric: string;
  facet: string | null;
  xscale: 'linear' | 'log2' | 'log10' | 'category';
  yscale: 'linear' | 'log10';
  ratio: boolean;
  overlay?: boolean; // several metrics
  minmax?: boolean; // bars from minimum to maximum, not 95 % intervals
  metric_x?: boolean; // x is a metric, with bars of its own
  scatter?: boolean; // the points of a series are not joined
  curves?: CurveData[];
  categories: string[];
  left_out: number;
  left_lines?: number; // lines that are nowhere above 0
  series: SeriesData[];
}

export interface RoutingData {
  name: string;
  expected: boolean;
  worst: number[]; // the worst permutation: where each endpoint sends; empty where it is unknown
  shift: number[]; // largest load of shift k = 1, 2, ...
  load: number[]; // flows under all-to-all of each directed link; empty where the network is left out
  hops_to: NextHops | null;
}

// Under a routing: what is for endpoint e leaves node v by one of the links sets[s], s from rows[v]: run lengths
// [s, count, s, count, ...] over the endpoints; -1: no route.
export interface NextHops {
  sets: number[][];
  rows: number[][];
}

export interface NetData {
  names: string[]; // of all nodes, endpoints first
  level: number[];
  endpoints: number;
  // directed links: from, to, and the number or name of the output port (may be empty)
  from: number[];
  to: number[];
  port: (number | string)[];
  dead: number[]; // links
  drawing: DrawingData;
}

// Boxes in rows, as src/report/drawings computes them.
export interface DrawingData {
  merged: string; // a sentence about merged nodes; empty if every node has a box
  box_of: number[]; // of each node
  // The row, from the bottom; the middle, and the width that is free for it, as fractions of the width; the label; in
  // hypercubes and grids, the middle as a fraction of the height.
  boxes: [number, number, number, string, number?][];
  frames: number[]; // pairs: the first and the last box of each node of the tree
}

// A large network by pods (src/report/pods), under all-to-all.
export interface PodsData {
  blocks: boolean; // no subtrees: consecutive switches, called groups
  above: number; // switches in no pod
  pod: [string, number, number, string, number][]; // name, switches, hosts, first switch, whether its switches are listed
  switch: [number, number, number, string][]; // pod, level, hosts, name
  cables: number[]; // out of each pod
  routings: {
    levels: [number, number, number, number, number, string][]; // of the lower end, down, links, mean, most, the link
    top: [string, number, number][]; // link, flows, pod of its lower end or -1
    equal: number; // links between switches with as many flows as the first of these
    pods: [number, number, number][]; // most flows on a link out of a pod, into it, within it
    switches: number[]; // of each listed switch: most flows on a link up from it, and down to it
  }[];
}

// Stacks of chips: the middle and the size of each box, six numbers a box, in feet, y upwards.
export interface PackagingData {
  stages: { name: string; boxes: number[] }[];
}

export interface FabricData {
  endpoints: number;
  switches: number;
  levels: number;
  weighed: string | null; // how flows on links of other rates count; null: all count once
  weights?: number[]; // of each directed link of net; empty: all 1
  routings: RoutingData[];
  net: NetData | null;
  pods: PodsData | null; // where the network is too large for that
  layout: string | null; // SVG
  packaging: PackagingData | null;
  left_out: string[];
}

// A load of directed links as at the nominal rate, so that the link that takes longest has the largest.
export function weighed(fabric: FabricData, load: ArrayLike<number>): ArrayLike<number> {
  const weights = fabric.weights;
  return weights?.length ? Float64Array.from(load, (flows, l) => flows * weights[l]) : load;
}

// A sentence of its own, for notes.
export function weighedNote(fabric: FabricData): string {
  return fabric.weighed ? ` ${fabric.weighed[0].toUpperCase()}${fabric.weighed.slice(1)}.` : '';
}

export interface PageData {
  bough: string;
  schema: number;
  strings: string[];
  charts?: ChartData[];
  fabric?: FabricData;
}
