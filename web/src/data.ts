// What the command embeds in the page: src/report/study_page.c and src/report/fabric_page.c write it.

// [x, label, mean, ci95, min, max, trials, exact, status, network, faults, routing, traffic, method, against];
// texts are indices into `strings`, -1: none; numbers that do not exist are null.
export type PointRow = (number | null)[];

export interface SeriesData {
  name: string;
  style: number;
  points: PointRow[];
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
  categories: string[];
  left_out: number;
  series: SeriesData[];
}

// Cells of text columns are indices into `strings`.
export interface ResultsData {
  columns: string[];
  text: boolean[];
  rows: (number | null)[][];
}

export interface StudyData {
  charts: ChartData[];
  charts_left_out: number;
  effort: string;
  answers: number;
  complete: number;
  notes: string[];
  results: ResultsData;
}

export interface Finding {
  severity: 'info' | 'warn' | 'error';
  kind: string;
  where: string;
  text: string;
}

export interface RoutingData {
  spec: string;
  expected: boolean;
  pairs: number;
  routed: number;
  hops: [number, number][];
  alltoall_max: number;
  alltoall_link: string | null;
  alltoall_share: number | null;
  shift_max: number;
  shift_mean: number;
  shift_worst_k: number;
  random: { mean: number; ci95: number | null; trials: number } | null;
  worst: WorstData | null;
  unused_links: number;
  verdict: string[];
  findings: Finding[];
  shift: number[]; // largest load of shift k = 1, 2, ...
  load: number[]; // flows under all-to-all of each directed link; empty where the network is left out
  hops_to: NextHops | null;
}

export interface WorstData {
  load: number;
  link: string | null;
  pairs: [number, number][];
}

// Under a routing: node v, a switch, sends what is for endpoint e to one of sets[s], s from rows[v - endpoints]:
// run lengths [s, count, s, count, ...] over the endpoints; -1: no route. first[e]: the set endpoint e sends by.
export interface NextHops {
  sets: number[][];
  rows: number[][];
  first: number[][];
}

export interface NetData {
  names: string[]; // of all nodes, endpoints first
  level: number[];
  endpoints: number;
  // directed links: from, to, and the number of the output port (or -1)
  from: number[];
  to: number[];
  port: number[];
  dead: number[]; // links
}

export interface FabricData {
  fabric: string;
  format: string | null;
  hash: string | null;
  endpoints: number;
  switches: number;
  by_level: number[];
  cables: number;
  links: number;
  not_looked_at: string;
  findings: Finding[];
  routings: RoutingData[];
  net: NetData | null;
  left_out: string[];
}

export interface PageData {
  bough: string;
  schema: number;
  title: string;
  command: string | null;
  seed: string;
  strings: string[];
  study?: StudyData;
  fabric?: FabricData;
}
