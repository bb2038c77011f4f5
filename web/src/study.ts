// The page of a study: what the methods say of each other, charts, all results.
import { Chart } from './chart';
import { CI, MEAN } from './chart_spec';
import type { ChartData, PageData, ResultsData, StudyData } from './data';
import { el } from './dom';
import { count, exact, plain } from './format';
import { saveTable, tableDetails, type Table } from './table';

// One sentence for each series of ratios.
function verdicts(charts: ChartData[]): string[] {
  const all = new Map<string, { low: number; high: number; points: number; agree: number; known: number }>();
  for (const chart of charts.filter((c) => c.ratio))
    for (const series of chart.series)
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
  return Math.abs(value - 1) < 0.1 ? value.toFixed(4) : plain(Number(value.toPrecision(4)));
}

function chartSections(page: PageData, study: StudyData): [HTMLElement, Chart[]] {
  const section = el('section', { 'aria-labelledby': 'charts' }, el('h2', { id: 'charts' }, 'Charts'));
  const made: Chart[] = [];
  let grid: HTMLElement | null = null;
  let last = '';
  for (const data of study.charts) {
    const group = `${data.metric} ${data.ratio}`;
    if (!grid || group !== last) {
      grid = el('div', { class: 'charts' });
      section.append(grid);
    }
    last = group;
    const chart = new Chart(page, data);
    made.push(chart);
    grid.append(chart.element);
  }
  if (!study.charts.length) section.append(el('p', {}, 'There is nothing to draw yet.'));
  if (study.charts_left_out) section.append(el('p', { class: 'note' }, `${count(study.charts_left_out, 'further chart')} left out.`));
  return [section, made];
}

function resultsTable(page: PageData, results: ResultsData): [Table, (row: number, column: number) => string] {
  const cell = (number: (v: number | null) => string) => (row: number, column: number) => {
    const value = results.rows[row][column];
    if (!results.text[column]) return number(value);
    return value === null ? '' : page.strings[value];
  };
  const table = {
    caption: 'Results',
    columns: results.columns,
    right: results.text.map((t) => !t),
    rows: results.rows.length,
    cell: cell(plain),
  };
  return [table, cell(exact)];
}

function resultsSection(page: PageData, study: StudyData): HTMLElement {
  const [table, exactCell] = resultsTable(page, study.results);
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

export function studyPage(page: PageData, study: StudyData): { sections: HTMLElement[]; charts: Chart[]; facts: [string, string][] } {
  const facts: [string, string][] = [
    ['seed', page.seed],
    ['effort', study.effort],
    ['answers', study.complete === study.answers ? `${study.answers}, all complete` : `${study.complete} of ${study.answers} complete`],
  ];
  const sections: HTMLElement[] = [];
  const says = verdicts(study.charts);
  if (says.length || study.notes.length) {
    const list = el('ul', { class: 'verdict' });
    for (const text of [...says, ...study.notes]) list.append(el('li', {}, text));
    sections.push(el('section', { 'aria-labelledby': 'verdict' }, el('h2', { id: 'verdict' }, 'Verdict'), list));
  }
  const [section, charts] = chartSections(page, study);
  sections.push(section, resultsSection(page, study));
  return { sections, charts, facts };
}
