// The page of a study: every point is drawn, what it says is what results.csv says, downloads hold the same numbers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bough, dataOf, download, parseCsv, run, screenshot, shows, study, unfold, work } from './support.mjs';

const SMALL = `study: rounds of a small tree
network: fattree:n={n}
traffic: uniform:m={m}
methods: [circuit:mode=rounds, "bins:model=1", bound]
grid:
  - n: 2^4..2^7 times 2
  - m: [n/8, n]
trials: 12
plot: {x: n, xscale: log2, y: [rounds], series: method, facet: m}
`;
const directory = study('small', SMALL);
const html = join(directory, 'report.html');

// Rows of results.csv by what a point of a chart says of itself.
function resultRows(folder) {
  const rows = new Map();
  for (const row of parseCsv(readFileSync(join(folder, 'results.csv'), 'utf8')))
    rows.set([row.network, row.traffic, row.method, row.metric, row.index].join('|'), row);
  return rows;
}

async function tipOf(chart) {
  return chart.evaluate((section) => {
    const tip = section.querySelector('.tip');
    if (tip.hidden) return null;
    const names = [...tip.querySelectorAll('dt')].map((n) => n.textContent);
    const values = [...tip.querySelectorAll('dd')].map((n) => n.textContent);
    return Object.fromEntries(names.map((n, i) => [n, values[i]]));
  });
}

const points = (chart) => chart.series.reduce((n, s) => n + s.points.length, 0);

await run({
  async 'every point has its mark, and hiding a series hides its marks'() {
    const { page, context, wrong } = await unfold(html);
    const charts = dataOf(html).charts;
    assert.equal(charts.length, 4);
    assert.equal(await page.locator('section.chart').count(), 4);
    for (const [i, chart] of charts.entries()) {
      const section = page.locator('section.chart').nth(i);
      const marks = section.locator('.mark-symbol path');
      assert.equal(await marks.count(), points(chart));
      const box = section.locator('input[type=checkbox]').first();
      await box.uncheck();
      const rest = points(chart) - chart.series[0].points.length;
      assert.equal(await marks.count(), rest);
      await box.check();
      assert.equal(await marks.count(), points(chart));
    }
    await screenshot(page, 'study');
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'keys and pointer show the numbers of results.csv'() {
    const { page, context, wrong } = await unfold(html);
    const data = dataOf(html);
    const rows = resultRows(directory);
    for (const [i, chart] of data.charts.entries()) {
      const section = page.locator('section.chart').nth(i);
      await section.locator('.plot').focus();
      for (const series of chart.series)
        for (const p of series.points) {
          await page.keyboard.press('ArrowRight');
          const tip = await tipOf(section);
          assert.equal(tip.series, series.name);
          const text = (k) => data.strings[k];
          assert.equal(tip.n, text(p[1]));
          if (chart.ratio) {
            assert.ok(shows(tip.ratio, p[2]));
            continue;
          }
          const row = rows.get([text(p[9]), text(p[12]), text(p[13]), chart.metric, ''].join('|'));
          assert.ok(row, 'the point is in results.csv');
          assert.ok(shows(tip[chart.metric], Number(row.mean)), `${tip[chart.metric]} for ${row.mean}`);
          assert.equal(tip.trials ?? '1', row.trials);
          if (row.ci95) assert.ok(tip[chart.metric].includes('(95 %)'));
          assert.equal(p[2], Number(row.mean));
          assert.equal(p[3], row.ci95 === '' ? null : Number(row.ci95));
        }
    }
    // The pointer on a mark says the same as the keys.
    const section = page.locator('section.chart').first();
    await section.scrollIntoViewIfNeeded();
    const mark = await section.locator('.mark-symbol path').nth(2).boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
    const tip = await tipOf(section);
    const p = data.charts[0].series[0].points[2];
    assert.ok(shows(tip.rounds, p[2]));
    await page.mouse.move(2, 2);
    assert.equal(await tipOf(section), null);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'saved SVG and CSV hold all points'() {
    const { page, context, wrong } = await unfold(html);
    const data = dataOf(html);
    for (const [i, chart] of data.charts.entries()) {
      const section = page.locator('section.chart').nth(i);
      const picture = await download(page, section.getByRole('button', { name: /^Save as SVG/ }));
      assert.match(picture.name, /^rounds.*\.svg$/);
      assert.ok(picture.text.startsWith('<svg'));
      const marks = await page.evaluate((text) => {
        const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
        if (parsed.querySelector('parsererror')) return -1;
        return parsed.querySelectorAll('.mark-symbol.role-mark path').length;
      }, picture.text);
      assert.equal(marks, points(chart));
      const table = await download(page, section.getByRole('button', { name: /^Save data as CSV/ }));
      const rows = parseCsv(table.text);
      const all = chart.series.flatMap((s) => s.points.map((p) => [s.name, p]));
      assert.equal(rows.length, all.length);
      all.forEach(([name, p], k) => {
        assert.equal(rows[k].series, name);
        assert.equal(Number(rows[k][chart.ratio ? 'ratio' : 'rounds']), p[2]);
        assert.equal(rows[k].ci95, p[7] || p[3] === null ? '' : String(p[3]));
      });
    }
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'a table under each chart, and the results'() {
    const { page, context } = await unfold(html);
    const data = dataOf(html);
    const section = page.locator('section.chart').first();
    await section.locator('summary').click();
    await section.locator('tbody tr').first().waitFor();
    assert.equal(await section.locator('tbody tr').count(), points(data.charts[0]));
    // The markup has the table of the command, and all results.
    const expected = parseCsv(readFileSync(join(directory, 'results.csv'), 'utf8'));
    const rows = (id) => page.locator(`section[aria-labelledby=${id}] tbody tr:visible`);
    assert.equal(await rows('results').count(), 4 * 2 * 3);
    assert.equal(await rows('all-results').count(), expected.length);
    // The filter, the headings and the download work on what is shown.
    await page.getByRole('searchbox', { name: 'Filter: All results' }).fill('bins attempts');
    const some = expected.filter((r) => r.method === 'bins:model=1' && r.metric === 'attempts').length;
    assert.equal(await rows('all-results').count(), some);
    await page.getByRole('searchbox', { name: 'Filter: All results' }).fill('');
    const sort = page.locator('section[aria-labelledby=results] th button', { hasText: 'rounds' });
    const means = () => rows('results').evaluateAll((list) => list.map((r) => parseFloat(r.cells[3].textContent)));
    await sort.click();
    assert.deepEqual(await means(), (await means()).slice().sort((x, y) => x - y));
    await sort.click();
    assert.deepEqual(await means(), (await means()).slice().sort((x, y) => y - x));
    const saved = await download(page, page.locator('section[aria-labelledby=all-results]').getByRole('button', { name: 'Save as CSV' }));
    const given = parseCsv(saved.text);
    assert.equal(given.length, expected.length);
    given.forEach((row) => assert.ok(expected.some((e) => e.n === row.n && e.method === row.method && row.metric.startsWith(e.metric))));
    assert.equal(await page.locator('header code').textContent(), 'bough run small.yaml');
    await context.close();
  },

  async 'what methods assume stands above the charts'() {
    const folder = study('rates', `study: rates
network: fattree:n={n}
traffic: "allreduce:size=1MB"
methods: [flow, loggops]
grid:
  - n: [8, 16]
trials: 2
plot: {x: n, y: [completion_time], series: method}
`);
    const { page, context, wrong } = await unfold(join(folder, 'report.html'));
    const lines = await page.locator('section[aria-labelledby=assumptions] li').allTextContents();
    assert.equal(lines.length, 2);
    assert.match(lines[0], /^assumes: links 100Gb\/s; delay 100ns a link; sizes 1MB a rank in all; hosts/);
    assert.match(lines[1], /^methods differ: sharing max-min fair \(flow\) \| at hosts only/);
    const above = await page.evaluate(() => {
      const [a, b] = ['assumptions', 'charts'].map((id) => document.getElementById(id).getBoundingClientRect().top);
      return a < b;
    });
    assert.ok(above);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'the same results give the same bytes'() {
    bough('report', 'small', '--html', 'again.html');
    assert.equal(readFileSync(join(work, 'again.html'), 'utf8'), readFileSync(html, 'utf8'));
    const other = study('other', SMALL, '--threads', '1');
    const text = readFileSync(join(other, 'report.html'), 'utf8').replace('other.yaml', 'small.yaml');
    assert.ok(text === readFileSync(html, 'utf8'));
  },

  async 'categories and ratios of routings are drawn'() {
    const folder = study('kinds', `study: kinds
network: fattree:n=16
traffic: "{pattern}"
methods: [circuit:mode=rounds]
routing: [random, first]
grid:
  - pattern: [transpose, bitrev, "shift:k=2"]
trials: 4
`);
    const file = join(folder, 'report.html');
    const { page, context, wrong } = await unfold(file);
    const data = dataOf(file);
    assert.deepEqual(data.charts.map((c) => [c.xscale, c.ratio]), [['category', false], ['category', true]]);
    for (const [i, chart] of data.charts.entries()) {
      const section = page.locator('section.chart').nth(i);
      assert.equal(await section.locator('.mark-symbol path').count(), points(chart), chart.title);
      await section.scrollIntoViewIfNeeded();
      // Marks stand where the pointer finds them.
      for (let k = 0; k < points(chart); k++) {
        const mark = await section.locator('.mark-symbol path').nth(k).boundingBox();
        await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
        assert.ok(await tipOf(section), `point ${k}`);
      }
    }
    await screenshot(page, 'study-kinds');
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'lines have no marks, a box of their own, and overlays name the metric of a point'() {
    const folder = study('lines', `network: fattree:n={n}
traffic: uniform:m={n}
methods: [circuit:mode=rounds, "circuit:mode=cycles"]
grid:
  - n: 2^3..2^6 times 2
trials: 20
plot: {x: n, xscale: log2, y: [rounds, norm_cycles], overlay: true, bars: minmax, ratio: [mean, max],
       curves: {"lg m": lg(n)}, verticals: {"<b>here": 20}}
`);
    const file = join(folder, 'report.html');
    const { page, context, wrong } = await unfold(file);
    const charts = dataOf(file).charts;
    assert.equal(charts.length, 2);
    const section = page.locator('section.chart').first();
    const lines = section.locator('.mark-line path, .mark-rule line');
    assert.equal(await section.locator('.mark-symbol path').count(), points(charts[0]));
    const all = await lines.count();
    const label = section.locator('label', { hasText: 'lg m' });
    await label.locator('input').uncheck();
    assert.equal(await lines.count(), all - 1);
    await label.locator('input').check();
    const here = section.locator('label', { hasText: '<b>here' });
    await here.locator('input').uncheck();
    assert.equal(await lines.count(), all - 1);
    await here.locator('input').check();
    // two short lines at the ends of each bar
    const bars = charts[0].series.flatMap((s) => s.points).filter((p) => p[4] !== p[5]).length;
    assert.equal(await section.locator('.mark-rect path, .mark-tick path').count(), 2 * bars);
    assert.ok((await section.textContent()).includes('Bars go from the minimum to the maximum'));
    const last = charts[0].series[1].points.length;
    const mark = await section.locator('.mark-symbol path').nth(points(charts[0]) - last).boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
    assert.ok('norm_cycles' in (await tipOf(section)));
    // ratios: means have intervals, maxima have none; both have a line at their mean
    assert.equal(charts[1].series.length, 2);
    assert.equal(charts[1].curves.length, 2);
    assert.ok(charts[1].series[1].points.every((p) => p[3] === null));
    await screenshot(page, 'study-lines');
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'a metric as x has bars in both directions, and a staircase'() {
    const folder = study('metric-x', `network: fattree:n={n}
traffic: randperm
methods: [circuit:mode=rounds]
grid:
  - n: [16, 64, 256]
trials: 20
plot: {x: attempts, y: rounds, join: lower, curves: {half: x/2}}
`);
    const file = join(folder, 'report.html');
    const { page, context, wrong } = await unfold(file);
    const [chart] = dataOf(file).charts;
    assert.equal(chart.scatter, true);
    const section = page.locator('section.chart').first();
    assert.equal(await section.locator('.mark-symbol path').count(), 3);
    assert.equal(await section.locator('.mark-line path').count(), 2); // the staircase and the curve; points are not joined
    const rules = await section.locator('.mark-rule.role-mark line').evaluateAll((lines) =>
      lines.map((line) => [Math.abs(line.x2.baseVal.value - line.x1.baseVal.value), Math.abs(line.y2.baseVal.value - line.y1.baseVal.value)]));
    assert.equal(rules.filter(([dx, dy]) => dx > 0 && dy === 0).length, chart.series[0].points.filter((p) => p[4] > p[3]).length);
    assert.equal(rules.filter(([dx, dy]) => dx === 0 && dy > 0).length, 3);
    const mark = await section.locator('.mark-symbol path').nth(1).boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2);
    const tip = await tipOf(section);
    assert.equal(tip.at, '64');
    assert.match(tip['attempts (per message)'], /, .* to /);
    await screenshot(page, 'study-metric-x');
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'indices are drawn along x'() {
    const folder = study('levels', `network: transit:n={n}
traffic: local:p=1
methods: [locality]
grid:
  - n: [64, 4096]
trials: 1
plot: {y: [p_any]}
`);
    const file = join(folder, 'report.html');
    const { page, context, wrong } = await unfold(file);
    const [chart] = dataOf(file).charts;
    assert.equal(chart.x, 'level');
    assert.equal(await page.locator('.mark-symbol path').count(), points(chart));
    assert.deepEqual(wrong, []);
    await context.close();
  },
});
