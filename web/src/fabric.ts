// The page of a fabric below its summary: figures, the network itself, findings, shifts, loads between levels.
import { Chart } from './chart';
import type { FabricData, Finding, PageData, RoutingData } from './data';
import { el } from './dom';
import { count, plain, withInterval } from './format';
import { heatMap } from './heat';
import { NetworkView } from './network';
import { PodsView } from './pods';
import { StacksView } from './stacks';
import { saveTable, tableElement, type Table } from './table';

export function routingName(fabric: FabricData, i: number): string {
  const spec = fabric.routings[i].spec;
  const before = fabric.routings.slice(0, i).filter((r) => r.spec === spec).length;
  return (spec.replace(/^lft:file=/, '').replace(/^"(.*)"$/, '$1') || spec) + (before ? ` (${before + 1})` : '');
}

function factsOf(page: PageData, f: FabricData): [string, string][] {
  const levels = f.network.switches_by_level.map((n, i) => (i === 0 ? `${n} ${n === 1 ? "leaf" : "leaves"}` : i === 1 ? `${n} above them` : `${n} above`));
  const facts: [string, string][] = [
    ['endpoints', String(f.network.endpoints)],
    ['switches', `${f.network.switches} (${levels.join(', ')})`],
    ['cables between switches', String(f.network.cables)],
    ['rates', f.rates],
  ];
  if (f.format) facts.push(['format', f.format]);
  if (f.network.file_hash) facts.push(['hash of the file', f.network.file_hash]);
  facts.push(['seed', page.seed]);
  return facts;
}

function overview(f: FabricData): Table {
  const columns: [string, (r: RoutingData) => string][] = [
    ['routed pairs', (r) => `${r.routed} of ${r.pairs}`],
    ['switches on the path', (r) => r.hops.map(([hops, pairs]) => `${hops}: ${pairs}`).join(', ')],
    ['all-to-all', (r) => plain(r.alltoall_max)],
    ['share of the ideal', (r) => (r.alltoall_share === null ? '' : `${(100 * r.alltoall_share).toFixed(1)} %`)],
    ['shift, worst', (r) => `${plain(r.shift_max)}${r.shift_worst_k ? ` (k = ${r.shift_worst_k})` : ''}`],
    ['shift, mean', (r) => plain(Number(r.shift_mean.toPrecision(4)))],
    ['random', (r) => (r.random ? withInterval(r.random.mean, r.random.ci95) : '')],
    ['worst permutation', (r) => (r.worst ? plain(r.worst.load) : r.worst_least !== null ? `at least ${plain(r.worst_least)}, a lower bound (--worst finds the worst)` : '')],
    ['link that takes longest, all-to-all', (r) => r.alltoall_limit ?? ''],
    ['most loaded link, worst permutation', (r) => r.worst?.link ?? ''],
    ['unused links', (r) => String(r.unused_links)],
  ];
  const said = columns.filter(([, of]) => f.routings.some((r) => of(r) !== ''));
  return {
    caption: 'Flows on the most loaded link, routing by routing',
    columns: ['figure', ...f.routings.map((_, i) => routingName(f, i))],
    right: [false, ...f.routings.map(() => false)],
    rows: said.length,
    cell: (row, column) => (column === 0 ? said[row][0] : said[row][1](f.routings[column - 1])),
  };
}

function findingsSection(f: FabricData): HTMLElement | null {
  const all: [Finding, string][] = f.findings.map((x): [Finding, string] => [x, 'wiring']);
  f.routings.forEach((r, i) => all.push(...r.findings.map((x): [Finding, string] => [x, routingName(f, i)])));
  for (const other of f.other_findings) all.push(...other.findings.map((x): [Finding, string] => [x, other.about]));
  if (!all.length) return null;
  const rank = { error: 0, warn: 1, info: 2 };
  all.sort((a, b) => rank[a[0].severity] - rank[b[0].severity]);
  const word = { error: '\u2716\u00a0error', warn: '\u25b2\u00a0warning', info: '\u2022\u00a0remark' };
  const table: Table = {
    caption: 'Findings',
    columns: ['severity', 'about', 'where', 'what', 'kind'],
    right: [false, false, false, false, false],
    rows: all.length,
    cell: (row, column) => {
      const [x, about] = all[row];
      return [word[x.severity], about, x.where, x.text, x.kind][column];
    },
  };
  const button = el('button', { type: 'button' }, 'Save findings as CSV');
  button.addEventListener('click', () =>
    saveTable('findings.csv', table, (row, column) => (column ? table.cell(row, column) : all[row][0].severity)),
  );
  return el(
    'section',
    { 'aria-labelledby': 'findings' },
    el('h2', { id: 'findings' }, 'Findings'),
    el('p', { class: 'buttons' }, button),
    tableElement(table),
  );
}

// Flows by k: one chart, or one for each routing where the curves would hide each other; then how many shifts have
// how many flows.
function shiftCharts(page: PageData, f: FabricData): Chart[] {
  if (!f.routings.some((r) => r.shift.length > 1)) return [];
  const ok = page.strings.indexOf('ok');
  const row = (x: number, y: number) => [x, -1, y, null, null, null, 1, 1, ok, -1, -1, -1, -1, -1, -1];
  const curve = (indices: number[], of: string): Chart =>
    new Chart(page, {
      title: `Flows on the most loaded link of every shift permutation, in which e sends to e + k${of}`,
      x: 'k', y: 'flows on the most loaded link', metric: 'flows', facet: of ? of.trim() : null,
      xscale: 'linear', yscale: 'linear', ratio: false, categories: [], left_out: 0,
      series: indices.map((i) => ({
        name: routingName(f, i), style: i, saturated: null, stable: null, points: f.routings[i].shift.map((load, k) => row(k + 1, load)),
      })),
    });
  const all = f.routings.map((_, i) => i);
  const charts = f.network.endpoints > 150 && all.length > 1 ? all.map((i) => curve([i], `: ${routingName(f, i)}`)) : [curve(all, '')];
  const counts = f.routings.map((r) => {
    const bins = new Map<number, number>();
    for (const load of r.shift) {
      const bin = Math.ceil(load - 1e-9);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    return bins;
  });
  const most = Math.max(...counts.flatMap((bins) => [...bins.keys()]));
  if (most > 60) return charts;
  const categories = Array.from({ length: most }, (_, i) => String(i + 1));
  charts.push(new Chart(page, {
    title: `How many shifts have N flows on their most loaded link${f.routings.some((r) => r.expected) ? ', rounded up' : ''}`,
    x: 'flows', y: 'shifts', metric: 'shifts', facet: null, xscale: 'category', yscale: 'linear', ratio: false,
    categories, left_out: 0,
    series: counts.map((bins, i) => ({
      name: routingName(f, i), style: i, saturated: null, stable: null,
      points: [...bins].sort((a, b) => a[0] - b[0]).filter(([bin]) => bin > 0).map(([bin, n]) => row(bin - 1, n)),
    })),
  }));
  return charts;
}

export function fabricPage(page: PageData, f: FabricData): { sections: HTMLElement[]; charts: { start(): void }[]; facts: [string, string][] } {
  const charts: { start(): void }[] = [];
  const sections: HTMLElement[] = [];
  sections.push(
    el('section', { 'aria-labelledby': 'figures' }, el('h2', { id: 'figures' }, 'Figures'),
      el('p', { class: 'note' }, 'Flows on the most loaded directed link, endpoint links included.'), tableElement(overview(f))),
  );
  if (f.net) {
    const view = new NetworkView(f, f.net, (i) => routingName(f, i));
    charts.push(view);
    sections.push(el('section', { 'aria-labelledby': 'network' }, el('h2', { id: 'network' }, 'Network'), view.element));
  }
  const picture = (name: string, title: string, drawn: string, alt: string) =>
    sections.push(
      el('section', { 'aria-labelledby': name }, el('h2', { id: name }, title),
        el('div', { class: 'picture' }, el('img', { src: `data:image/svg+xml,${encodeURIComponent(drawn)}`, alt }))),
    );
  if (f.pods && f.picture) {
    const alt = `The network by levels, its switches merged: ${count(f.network.endpoints, 'endpoint')}, ${count(f.network.switches, 'switch', 'switches')}.`;
    sections.push(
      el('section', { 'aria-labelledby': 'network' }, el('h2', { id: 'network' }, 'Network'), new PodsView(f, f.pods, (i) => routingName(f, i)).element,
        el('details', {}, el('summary', {}, 'Drawing by levels'),
          el('div', { class: 'picture large', tabindex: 0, role: 'group', 'aria-label': 'Drawing by levels' }, el('img', { src: `data:image/svg+xml,${encodeURIComponent(f.picture)}`, alt })))),
    );
    sections.push(el('div', { class: 'picture onpaper printed' }, el('img', { src: `data:image/svg+xml,${encodeURIComponent(f.picture)}`, alt: '' })));
  } else if (f.picture) picture('network', 'Network', f.picture, `The network by levels, its switches merged: ${count(f.network.endpoints, 'endpoint')}, ${count(f.network.switches, 'switch', 'switches')}.`);
  const findings = findingsSection(f);
  if (findings) sections.push(findings);
  const shifts = shiftCharts(page, f);
  if (shifts.length) {
    charts.push(...shifts);
    sections.push(el('section', { 'aria-labelledby': 'shifts' }, el('h2', { id: 'shifts' }, 'Shifts'), el('div', { class: 'charts' }, ...shifts.map((s) => s.element))));
  }
  if (f.net && f.routings.some((r) => r.load.length)) {
    const map = heatMap(f, f.net, (i) => routingName(f, i));
    if (map) {
      charts.push(map);
      sections.push(el('section', { class: 'wide', 'aria-labelledby': 'loads' }, el('h2', { id: 'loads' }, 'Loads between switches'), map.element));
    }
  }
  if (f.layout) picture('layout', 'Layout', f.layout, `A layout of the network on a chip by the H-tree method, to scale: ${count(f.network.endpoints, 'endpoint')}.`);
  if (f.packaging) {
    const view = new StacksView(f.packaging);
    charts.push(view);
    sections.push(el('section', { 'aria-labelledby': 'packaging' }, el('h2', { id: 'packaging' }, 'Packaging'), view.element));
  }
  if (f.left_out.length) {
    const list = el('ul', {});
    for (const text of f.left_out) list.append(el('li', {}, text));
    sections.push(el('section', { 'aria-labelledby': 'left' }, el('h2', { id: 'left' }, 'Left out of this page'), list));
  }
  // Paper has one page: these sections, and of large networks the picture by levels (web/src/page.css).
  for (const section of sections) if (['figures', 'network', 'findings'].includes(section.getAttribute('aria-labelledby') ?? '')) section.classList.add('printed');
  return { sections, charts, facts: factsOf(page, f) };
}
