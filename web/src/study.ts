// The page of a study: what the methods say of each other, charts, all results.
import { Chart } from './chart';
import { CI, MEAN } from './chart_spec';
import type { ChartData, CompactChart, PageData, PointRow, StudyData } from './data';
import { el } from './dom';
import { count, exact, plain } from './format';
import { saveTable, tableDetails, type Table } from './table';

// A value in full: ci95, min, max, trials, exact.
function rest(value: (number | null)[]): (number | null)[] {
  return value.length > 4 ? value.slice(4, 9) : [null, value[3], value[3], 1, 1];
}

function expand(study: StudyData, chart: CompactChart): ChartData {
  const point = ([x, label, at, ...more]: number[]): PointRow => {
    const [against, low, high] = chart.metric_x ? [-1, more[0], more[1]] : [more[0] ?? -1, x, x];
    const value = study.values[at];
    const [network, faults, routing, traffic, method, status] = study.answers[value[0] as number].slice(study.axes.length);
    return [x, label, value[3], ...rest(value), status, network, faults, routing, traffic, method, against, low, high];
  };
  return { ...chart, series: chart.series.map((s) => ({ ...s, points: s.points.map(point) })) };
}

// Where each curve saturates.
function saturations(charts: ChartData[]): string[] {
  if (!charts.some((c) => c.series.some((s) => s.saturated !== null))) return [];
  return charts
    .filter((c) => !c.ratio && c.metric === charts[0].metric)
    .flatMap((c) =>
      c.series
        .filter((s) => s.saturated !== null || s.stable !== null)
        .map((s) => {
          const name = c.facet ? `${s.name}, ${c.facet}` : s.name;
          if (s.saturated === null) return `${name}: not saturated up to ${c.x} ${plain(s.stable)}.`;
          const stable = s.stable === null ? '' : `stable at ${c.x} ${plain(s.stable)}, `;
          return `${name}: ${stable}saturated from ${c.x} ${plain(s.saturated)}.`;
        }),
    );
}

// One sentence for each series of ratios, unless curves saturate: ratios of the points that are left would say
// little.
function verdicts(charts: ChartData[]): string[] {
  const saturated = saturations(charts);
  if (saturated.length) return saturated;
  const all = new Map<string, { low: number; high: number; points: number; agree: number; known: number }>();
  for (const chart of charts.filter((c) => c.ratio && !c.overlay))
    for (const series of chart.series.filter((s) => !s.maxima))
      for (const p of series.points) {
        const key = JSON.stringify([series.name, chart.y]);
        const v = all.get(key) ?? { low: Infinity, high: -Infinity, points: 0, agree: 0, known: 0 };
        const ratio = p[MEAN] as number;
        v.low = Math.min(v.low, ratio);
        v.high = Math.max(v.high, ratio);
        v.points++;
        if (p[CI] !== null) {
          v.known++;
          if (Math.abs(ratio - 1) <= (p[CI] as number)) v.agree++;
        } else if (ratio === 1) v.agree++;
        all.set(key, v);
      }
  return [...all].map(([key, v]) => {
    const [series, y] = JSON.parse(key) as [string, string];
    const [metric, of] = y.split(' / ');
    const span = v.low === v.high ? plain3(v.low) : `${plain3(v.low)} to ${plain3(v.high)}`;
    const first = `${series}: ${metric} is ${span} times the ${of ?? 'other'}, over ${count(v.points, 'point')}`;
    if (v.agree === v.points) return `${first}; ${v.points === 1 ? 'it agrees' : 'all agree'}${v.known ? ' within the interval' : ''}.`;
    return `${first}; ${v.agree} of ${v.points} agree${v.known ? ' within the interval' : ''}.`;
  });
}

function plain3(value: number): string {
  return Math.abs(value) < 100 && Math.abs(value) >= 0.01 ? value.toFixed(3) : plain(Number(value.toPrecision(4)));
}

function chartSections(page: PageData, study: StudyData, all: ChartData[]): [HTMLElement, Chart[]] {
  const section = el('section', { 'aria-labelledby': 'charts' }, el('h2', { id: 'charts' }, 'Charts'));
  const made: Chart[] = [];
  // Facets of one metric stand side by side; metrics without facets follow each other in one grid.
  const group = (c: ChartData) => `${c.metric} ${c.ratio} ${c.ratio ? c.y : ''}`;
  const sizes = new Map<string, number>();
  for (const data of all) sizes.set(group(data), (sizes.get(group(data)) ?? 0) + 1);
  let grid: HTMLElement | null = null;
  let last = '';
  for (const data of all) {
    const key = sizes.get(group(data)) === 1 ? 'single' : group(data);
    if (!grid || key !== last) {
      const many = key === 'single' ? 0 : sizes.get(key)!;
      grid = el('div', { class: many > 2 && many % 3 === 0 ? 'charts three' : 'charts' });
      section.append(grid);
    }
    last = key;
    const chart = new Chart(page, data);
    made.push(chart);
    grid.append(chart.element);
  }
  if (!study.charts.length) section.append(el('p', {}, 'There is nothing to draw yet.'));
  if (study.without_x) section.append(el('p', { class: 'note' }, `${study.without_x}.`));
  if (study.charts_left_out) section.append(el('p', { class: 'note' }, `${count(study.charts_left_out, 'further chart')} left out.`));
  return [section, made];
}

// The columns of results.csv.
function resultsTable(page: PageData, study: StudyData): [Table, (row: number, column: number) => string] {
  const axes = study.axes.length;
  const before = ['network', ...(study.faults ? ['faults'] : []), 'routing', 'traffic', 'method'];
  const columns = [...study.axes, ...before, 'metric', 'index', 'unit', 'mean', 'ci95', 'min', 'max', 'trials', 'status'];
  const places = [...study.axes.keys(), axes, ...(study.faults ? [axes + 1] : []), axes + 2, axes + 3, axes + 4];
  const text = (i: number) => (i < 0 ? '' : page.strings[i]);
  const cell = (number: (v: number | null) => string) => (row: number, column: number) => {
    const value = study.values[row];
    const answer = study.answers[value[0] as number];
    if (column < places.length) return text(answer[places[column]]);
    const [ci, min, max, trials] = rest(value);
    switch (column - places.length) {
      case 0: return study.metrics[value[1] as number][0];
      case 1: return exact(value[2]);
      case 2: return study.metrics[value[1] as number][1];
      case 3: return number(value[3]);
      case 4: return number(ci);
      case 5: return number(min);
      case 6: return number(max);
      case 7: return exact(trials);
      default: return text(answer[axes + 5]);
    }
  };
  const numeric = study.axes.map((_, i) => study.answers.every((a) => page.strings[a[i]].trim() !== '' && !Number.isNaN(Number(page.strings[a[i]]))));
  const words = new Set([...before, 'metric', 'unit', 'status']);
  const table = { caption: 'Results', columns, right: columns.map((c, i) => (i < axes ? numeric[i] : !words.has(c))), rows: study.results, cell: cell(plain) };
  return [table, cell(exact)];
}

function resultsSection(page: PageData, study: StudyData): HTMLElement {
  const [table, exactCell] = resultsTable(page, study);
  const button = el('button', { type: 'button' }, 'Save results.csv');
  button.addEventListener('click', () => saveTable('results.csv', table, exactCell));
  return el(
    'section',
    { 'aria-labelledby': 'results' },
    el('h2', { id: 'results' }, 'Results'),
    el('p', { class: 'buttons' }, button),
    tableDetails(`All ${count(table.rows, 'result')}`, () => table, table.rows <= 60),
  );
}

export function studyPage(page: PageData, study: StudyData): Chart[] {
  const sections: HTMLElement[] = [];
  const all = study.charts.map((c) => expand(study, c));
  const says = verdicts(all);
  const list = (texts: string[]) => el('ul', { class: 'verdict' }, ...texts.map((text) => el('li', {}, text)));
  if (says.length)
    document.querySelector('main')?.prepend(el('section', { 'aria-labelledby': 'verdict' }, el('h2', { id: 'verdict' }, 'Verdict'), list(says)));
  const [section, charts] = chartSections(page, study, all);
  sections.push(section, resultsSection(page, study));
  document.querySelector('main')?.append(...sections);
  return charts;
}
