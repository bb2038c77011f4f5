// 10,000 points: the page is there, and small. Prints how long the first paint takes; asserts only that there is one.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { dataOf, open, run, screenshot, study } from './support.mjs';

await run({
  async '10,000 points'() {
    const folder = study('many', `study: many points
network: fattree:n=16384
traffic: uniform:m={m}
methods: [bound]
grid:
  - m: 2..5001 step 1
trials: 1
plot: {x: m, y: [curve, lg_m]}
`);
    const file = join(folder, 'report.html');
    const points = dataOf(file).charts.reduce((n, c) => n + c.series.reduce((k, s) => k + s.points.length, 0), 0);
    assert.equal(points, 10000);
    const { page, context, wrong } = await open(file);
    const paint = await page.evaluate(() => performance.getEntriesByType('paint').map((p) => `${p.name} ${Math.round(p.startTime)} ms`));
    const ready = await page.evaluate(() => Math.round(performance.now()));
    assert.ok(paint.some((p) => p.startsWith('first-contentful-paint')));
    console.log(`   10,000 points, ${statSync(file).size} bytes: ${paint.join(', ')}, all drawn before ${ready} ms`);
    assert.ok(statSync(file).size < 3_000_000);
    await page.locator('.plot').first().focus();
    await page.keyboard.press('End');
    assert.ok((await page.locator('.tip').first().textContent()).includes('5001'));
    await screenshot(page, 'many');
    assert.deepEqual(wrong, []);
    await context.close();
  },
});
