// A chart as a Vega-Lite specification.
import type { ChartData, CurveData, PointRow, SeriesData } from './data';
import { ink, style } from './palette';

export const X = 0;
export const LABEL = 1;
export const MEAN = 2;
export const CI = 3;
export const MIN = 4;
export const MAX = 5;
export const TRIALS = 6;
export const EXACT = 7;
export const STATUS = 8;
export const NETWORK = 9;
export const FAULTS = 10;
export const ROUTING = 11;
export const TRAFFIC = 12;
export const METHOD = 13;
export const AGAINST = 14;
export const X_LOW = 15;
export const X_HIGH = 16;

const BAND_FROM = 41; // points of a series from which on intervals are a band, not bars
const FONT = 'system-ui, sans-serif';

export interface Look {
  dark: boolean;
  width: number;
  height: number;
  legend: boolean;
}

interface Datum {
  x: number | string;
  bar: number | string; // x of the bar
  y: number;
  lo: number | null;
  hi: number | null;
  left?: number; // the bar of x
  right?: number;
  s: string;
  ok: boolean;
  at?: number; // the order in which points are joined where x is a metric
}

// Bars of extremes stand side by side: those of different series often are equal.
function besides(chart: ChartData, at: number, count: number): (x: number) => number {
  if (!chart.minmax || chart.metric_x || chart.xscale === 'category') return (x) => x;
  const on = (x: number) => (chart.xscale === 'linear' ? x : Math.log(x));
  const all = chart.series.flatMap((s) => s.points.map((p) => on(p[X] as number)));
  const by = 0.006 * (Math.max(...all) - Math.min(...all)) * (at - (count - 1) / 2);
  return (x) => (chart.xscale === 'linear' ? x + by : x * Math.exp(by));
}

// An interval that reaches 0 has no left end on a logarithmic scale.
function barOfX(chart: ChartData, p: PointRow): { left: number; right: number } {
  const left = p[X_LOW] as number;
  return { left: chart.xscale !== 'linear' && left <= 0 ? (p[X] as number) / 10 : left, right: p[X_HIGH] as number };
}

function datum(
  chart: ChartData, series: SeriesData, p: PointRow, aside: (x: number) => number, okStatus: (p: PointRow) => boolean,
): Datum {
  const mean = p[MEAN] as number;
  const ci = p[CI];
  const extremes = chart.minmax && p[MIN] !== null && p[MAX] !== null && p[MIN] !== p[MAX];
  let lo = extremes ? p[MIN] : ci === null || chart.minmax ? null : mean - ci;
  const hi = extremes ? p[MAX] : ci === null || chart.minmax ? null : mean + ci;
  if (lo !== null && chart.yscale === 'log10' && lo <= 0) lo = mean / 10;
  const x = chart.xscale === 'category' ? (chart.categories[p[X] as number] ?? '') : (p[X] as number);
  return {
    x,
    bar: typeof x === 'number' ? aside(x) : x,
    y: mean,
    lo,
    hi,
    ...(chart.metric_x && (p[X_HIGH] as number) > (p[X_LOW] as number) ? barOfX(chart, p) : {}),
    s: series.name,
    ok: okStatus(p),
  };
}

// 1024 as 1Ki, as specs have it.
const BINARY =
  "datum.value >= 1073741824 ? format(datum.value / 1073741824, '~r') + 'Gi' : " +
  "datum.value >= 1048576 ? format(datum.value / 1048576, '~r') + 'Mi' : " +
  "datum.value >= 1024 ? format(datum.value / 1024, '~r') + 'Ki' : format(datum.value, '~r')";

function xScale(chart: ChartData): object {
  if (chart.xscale === 'log2') return { type: 'log', base: 2, nice: false, padding: 10 };
  if (chart.xscale === 'log10') return { type: 'log', base: 10, nice: false, padding: 10 };
  return { type: 'linear', zero: false, nice: false, padding: 10 };
}

function curvesFrom(chart: ChartData, low: number): number {
  return (chart.curves ?? []).filter((c) => !c.vertical).reduce((m, c) => Math.min(m, ...c.y), low);
}

function powers(values: number[]): number[] {
  const low = Math.floor(Math.log2(Math.min(...values)) + 1e-9);
  const high = Math.ceil(Math.log2(Math.max(...values)) - 1e-9);
  const step = Math.max(1, Math.ceil((high - low) / 9));
  const ticks = [];
  for (let i = low; i <= high; i += step) ticks.push(2 ** i);
  return ticks;
}

// What y goes from and to. Intervals count as far as they are not much wider than what the means span: one point
// of a few wild trials should not press all others flat; its interval goes on beyond the frame.
function yRange(data: Datum[]): [number, number] {
  const sorted = (numbers: number[]) => numbers.sort((a, b) => a - b);
  const means = sorted(data.map((d) => d.y));
  const halves = sorted(data.flatMap((d) => (d.hi === null ? [] : [d.hi - d.y])));
  const low = means[0];
  const high = means[means.length - 1];
  const most = Math.max(0.5 * (high - low), 2.5 * (halves[Math.floor(halves.length / 2)] ?? 0));
  const from = Math.max(low - most, Math.min(...data.map((d) => d.lo ?? d.y)));
  const to = Math.min(high + most, Math.max(...data.map((d) => d.hi ?? d.y)));
  return [low >= 0 ? Math.max(0, from) : from, to];
}

// Extremes and lines count in full.
function fullRange(chart: ChartData, data: Datum[]): [number, number] {
  const [low, high] = yRange(data);
  const more = (chart.curves ?? []).filter((c) => !c.vertical).flatMap((c) => c.y);
  if (chart.minmax) more.push(...data.flatMap((d) => [d.lo ?? d.y, d.hi ?? d.y]));
  return [more.reduce((m, y) => Math.min(m, y), low), more.reduce((m, y) => Math.max(m, y), high)];
}

function yScale(chart: ChartData, data: Datum[]): object {
  const [low, high] = fullRange(chart, data);
  if (chart.yscale === 'log10') return { type: 'log', base: 10, domain: [Math.max(low, curvesFrom(chart, data.reduce((m, d) => Math.min(m, d.y), Infinity)) / 3), high] };
  if (chart.ratio) {
    // 1 is in sight, with room around it.
    const from = Math.min(low, 1);
    const to = Math.max(high, 1);
    const room = Math.max(0.05 * (to - from), 0.01);
    return { type: 'linear', zero: false, nice: false, domain: [from - room, to + room] };
  }
  const zero = low >= 0 && (low < 0.35 * high || chart.xscale === 'category');
  const room = 0.04 * (high - low || Math.abs(high) || 1);
  return { type: 'linear', zero: false, nice: true, domain: [zero ? 0 : low - room, high + (high === 0 && low === 0 ? 1 : room)] };
}

export function visiblePoints(chart: ChartData, hidden: Set<string>): number {
  let n = 0;
  for (const s of chart.series) if (!hidden.has(s.name)) n += s.points.length;
  return n;
}

// Rows of a chart of categories: room for each series in each.
export function categoryHeight(chart: ChartData, hidden: Set<string>): number {
  const shown = chart.series.filter((s) => !hidden.has(s.name)).length;
  return Math.max(120, chart.categories.length * (10 + 13 * Math.max(1, shown)));
}

// Lines without marks, each in its own colour and dash; on top of a saved picture's legend stand the series alone, so a
// line there has its name at its end.
function curveLayers(chart: ChartData, curves: CurveData[], axes: { across: object; up: object }, look: Look): object[] {
  const category = chart.xscale === 'category';
  const x = { ...axes.across, field: 'x' };
  const y = { ...axes.up, field: 'y' };
  return curves
    .filter((c) => !(category && c.vertical))
    .flatMap((c) => {
      const own = style(c.style, look.dark);
      const values = c.x.map((at, i) => ({ x: category ? chart.categories[at] : at, y: c.y[i], i }));
      const order = { field: 'i', type: 'quantitative' }; // a staircase has two points of one x
      const mark = { strokeDash: own.dash, strokeWidth: c.mean ? 1 : 1.5, opacity: c.mean ? 0.7 : 1, color: own.colour, aria: false };
      const line = c.vertical
        ? { data: { values: [{ x: c.x[0] }] }, mark: { type: 'rule', ...mark }, encoding: { x } }
        : { data: { values }, mark: { type: 'line', ...mark }, encoding: category ? { y: x, x: y } : { x, y, order } };
      if (!look.legend) return [line];
      const end = values[values.length - 1];
      const name = {
        data: { values: [{ ...end, name: c.name }] },
        mark: { type: 'text', align: 'right', baseline: 'bottom', dx: -3, dy: -3, color: own.colour, aria: false },
        encoding: { ...(category ? { y: x, x: y } : c.vertical ? { x, y: { value: 12 } } : { x, y }), text: { field: 'name' } },
      };
      return [line, name];
    });
}

export function chartSpec(
  chart: ChartData,
  hidden: Set<string>,
  look: Look,
  okStatus: (p: PointRow) => boolean,
): Record<string, unknown> {
  const shown = chart.series.filter((s) => !hidden.has(s.name));
  const values: Datum[] = [];
  shown.forEach((s, i) => {
    const aside = besides(chart, i, shown.length);
    for (const p of s.points) values.push({ ...datum(chart, s, p, aside, okStatus), at: values.length });
  });
  const curves = (chart.curves ?? []).filter((c) => !hidden.has(c.name));
  const c = ink(look.dark);
  const names = shown.map((s) => s.name);
  const styles = shown.map((s) => style(s.style, look.dark));
  const category = chart.xscale === 'category';
  const legend = look.legend && (shown.length > 1 || names[0] !== '') ? { title: null, orient: 'bottom', columns: 1, labelLimit: 600, symbolSize: 90 } : null;
  const colour = { field: 's', type: 'nominal', scale: { domain: names, range: styles.map((s) => s.colour) }, legend };
  const shape = { field: 's', type: 'nominal', scale: { domain: names, range: styles.map((s) => s.shape) }, legend };
  const across = category
    ? {
        field: 'x', type: 'nominal', sort: chart.categories, title: chart.x || null,
        axis: { labelLimit: Math.max(90, look.width * 0.38), labelOverlap: false, ticks: false },
      }
    : {
        field: 'x', type: 'quantitative', scale: xScale(chart), title: chart.x,
        axis: chart.xscale === 'log2' && values.length
          ? { values: powers(values.map((d) => d.x as number)), labelExpr: BINARY, grid: true }
          : { tickCount: Math.max(3, Math.min(8, Math.floor(look.width / 70))), grid: false, labelOverlap: true },
      };
  const yAxis = { tickCount: category ? Math.max(3, Math.floor(look.width / 90)) : 6, labelOverlap: true, ...(chart.yscale === 'log10' ? { format: '~g' } : {}) };
  const up = { field: 'y', type: 'quantitative', scale: yScale(chart, values), title: chart.ratio && !chart.overlay ? `ratio of ${chart.metric}` : chart.y, axis: yAxis };
  const offset = category && shown.length > 1 ? { yOffset: { field: 's', type: 'nominal', sort: names, scale: { domain: names } } } : {};
  const position = category ? { y: across, x: up, ...offset } : { x: across, y: up };
  const range = category
    ? { y: across, x: { ...up, field: 'lo' }, x2: { field: 'hi' }, ...offset }
    : { x: { ...across, field: 'bar' }, y: { ...up, field: 'lo' }, y2: { field: 'hi' } };
  const band = !category && !chart.minmax && !chart.metric_x && shown.some((s) => s.points.length >= BAND_FROM);
  const dense = shown.some((s) => s.points.length > 150);
  const layer: object[] = [];
  if (chart.ratio)
    layer.push({
      mark: { type: 'rule', color: c.soft, strokeDash: [3, 3], aria: false },
      encoding: category ? { x: { datum: 1, type: 'quantitative' } } : { y: { datum: 1, type: 'quantitative' } },
    });
  const saturated = category ? [] : shown.filter((s) => s.saturated !== null).map((s) => ({ x: s.saturated, s: s.name }));
  if (saturated.length)
    layer.push({
      data: { values: saturated },
      mark: { type: 'rule', strokeDash: [2, 4], strokeWidth: 1.25, aria: false },
      encoding: { x: across, color: colour },
    });
  layer.push(...curveLayers(chart, curves, { across, up }, look));
  const intervals = { filter: 'isValid(datum.lo) && isValid(datum.hi)' };
  if (band)
    layer.push({ transform: [intervals], mark: { type: 'area', opacity: 0.2, clip: true, aria: false }, encoding: { ...range, color: colour } });
  if (category && !chart.ratio && chart.yscale === 'linear')
    layer.push({ mark: { type: 'bar', opacity: 0.45, aria: false, height: { band: 0.75 } }, encoding: { ...position, color: colour } });
  if (!category && !chart.scatter)
    layer.push({
      mark: { type: 'line', strokeWidth: dense ? 0.8 : 1.75, aria: false },
      encoding: {
        ...position, color: colour,
        ...(chart.metric_x ? { order: { field: 'at', type: 'quantitative' } } : {}),
        strokeDash: { field: 's', type: 'nominal', scale: { domain: names, range: styles.map((s) => s.dash) }, legend },
      },
    });
  if (!band)
    layer.push({ transform: [intervals], mark: { type: 'rule', strokeWidth: 1.5, clip: true, aria: false }, encoding: { ...range, color: colour } });
  if (chart.metric_x)
    layer.push({
      transform: [{ filter: 'isValid(datum.left) && isValid(datum.right)' }],
      mark: { type: 'rule', strokeWidth: 1.5, clip: true, aria: false },
      encoding: { x: { ...across, field: 'left' }, x2: { field: 'right' }, y: up, color: colour },
    });
  if (chart.minmax)
    for (const end of ['lo', 'hi']) {
      const at = category ? { ...position, x: { ...up, field: end } } : { x: { ...across, field: 'bar' }, y: { ...up, field: end } };
      layer.push({ transform: [intervals], mark: { type: 'tick', orient: category ? 'vertical' : 'horizontal', size: 7, thickness: 1.5, aria: false }, encoding: { ...at, color: colour } });
    }
  layer.push({
    name: 'points',
    mark: { type: 'point', size: dense ? 10 : 46, strokeWidth: dense ? 1 : 1.5, opacity: 1, aria: false },
    encoding: {
      ...position, color: colour, shape,
      fill: { condition: { test: 'datum.ok', field: 's', type: 'nominal', scale: { domain: names, range: styles.map((s) => s.colour) }, legend }, value: c.ground },
    },
  });
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: look.width,
    height: look.height,
    background: c.ground,
    padding: 4,
    autosize: { type: 'fit', contains: 'padding' },
    ...(look.legend ? { title: { text: chart.title, anchor: 'start', limit: look.width } } : {}),
    data: { values },
    layer,
    config: {
      font: FONT,
      title: { color: c.text, fontSize: 14, fontWeight: 600 },
      axis: {
        labelColor: c.soft, titleColor: c.text, domainColor: c.soft, tickColor: c.soft, gridColor: c.grid,
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, aria: false,
      },
      legend: { labelColor: c.text, labelFontSize: 12 },
      view: { stroke: null },
    },
  };
}
