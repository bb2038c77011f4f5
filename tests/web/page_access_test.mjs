// Who cannot see, cannot use a mouse, has a small screen, or prints, has the page too.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bough, open, run, screenshot, source, study, work } from './support.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const example = join(source, 'examples/fabric/cluster');
const folder = study('access', `study: rounds
network: fattree:n={n}
traffic: uniform:m={m}
methods: [circuit:mode=rounds, "bins:model=1"]
grid:
  - n: 2^4..2^7 times 2
  - m: [n/8, n]
trials: 8
plot: {x: n, xscale: log2, y: [rounds], series: method, facet: m}
`);
bough('check', `${example}.ibnetdiscover`, '--lft', `${example}.ftree.lfts.gz`, '--html', 'fabric.html');
const pages = { study: join(folder, 'report.html'), fabric: join(work, 'fabric.html') };

const tests = {};
for (const [name, file] of Object.entries(pages))
  for (const [colorScheme, width] of [['light', 1280], ['dark', 390]])
    tests[`${name}, ${colorScheme}, ${width} wide: axe finds nothing, nothing sticks out`] = async () => {
        const { page, context, wrong } = await open(file, { colorScheme, viewport: { width, height: 900 } });
        await page.locator('details').evaluateAll((all) => all.forEach((d) => { d.open = true; }));
        await page.waitForTimeout(200);
        await page.locator('tbody tr:nth-child(n+12)').evaluateAll((all) => all.forEach((row) => row.remove())); // more of the same
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
        assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`), []);
        assert.ok(found.passes.length > 10);
        await page.locator('details').evaluateAll((all) => all.forEach((d) => { d.open = false; }));
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${over} pixels too wide`);
        await screenshot(page, `${name}-${colorScheme}-${width}`);
        assert.deepEqual(wrong, []);
        await context.close();
      };

await run({
  ...tests,

  // Cards, the ratings and the network are open; errors are too.
  async 'a check is read in seconds'() {
    bough('check', `${example}.ibnetdiscover`, '--lft', `${example}.ftree.lfts.gz`, '--faults', 'each:switch', '--html', 'short.html');
    const tables = gunzipSync(readFileSync(`${example}.ftree.lfts.gz`)).toString();
    writeFileSync(join(work, 'holes.lfts'), tables.replace(/^0x0005 .*\n/m, '')); // one entry less
    bough('check', `${example}.ibnetdiscover`, '--lft', 'holes.lfts', '--html', 'holes.html');
    const heads = (page) => page.locator('main > section h2:visible').evaluateAll((all) => all.map((h) => `${h.id}${h.closest('details') ? ' folded' : ''}`));
    const { page, context } = await open(join(work, 'short.html'));
    assert.deepEqual((await heads(page)).slice(0, 6), ['summary', 'findings folded', 'routings', 'failures folded', 'next', 'network']);
    assert.ok((await page.locator('.cards').textContent()).includes('core#1-spine')); // the answer of what is folded
    await context.close();
    const other = await open(join(work, 'holes.html'));
    assert.ok(await other.page.locator('[aria-labelledby=findings] td.error:visible').count() > 0);
    await other.context.close();
  },

  // A table that is wider than its box has a shadow where it goes on; findings are lists there.
  async 'at 400 pixels no column hides without a hint'() {
    for (const file of [...Object.values(pages), join(work, 'short.html')]) {
      const { page, context } = await open(file, { viewport: { width: 400, height: 900 } });
      await page.locator('details').evaluateAll((all) => all.forEach((d) => { d.open = true; }));
      await page.waitForTimeout(200);
      const wide = await page.locator('table').evaluateAll((all) => all.filter((t) => t.offsetWidth > 0 && t.offsetWidth > t.parentElement.clientWidth)
        .map((t) => [t.caption?.textContent ?? '', t.parentElement.className, getComputedStyle(t.parentElement).backgroundImage.split('linear-gradient').length - 1]));
      for (const [caption, box, shadows] of wide) assert.ok(box.includes('scroll') && shadows === 4 && caption !== 'Findings', `${caption}: ${box}, ${shadows}`);
      await context.close();
    }
  },

  async 'the keyboard reaches everything, and one sees where it is'() {
    for (const file of Object.values(pages)) {
      const { page, context } = await open(file);
      const wanted = await page.locator('button:visible, input:visible, select:visible, summary:visible, [tabindex="0"]:visible').count();
      const seen = new Set();
      for (let i = 0; i < wanted + 5; i++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => {
          const e = document.activeElement;
          if (!e || e === document.body) return null;
          e.dataset.seen ??= String(Math.random());
          const style = getComputedStyle(e);
          return { id: e.dataset.seen, outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 };
        });
        if (!at) continue;
        assert.ok(at.outline, 'the focus is visible');
        seen.add(at.id);
      }
      assert.equal(seen.size, wanted);
      await context.close();
    }
  },

  async 'landmarks and headings'() {
    for (const file of Object.values(pages)) {
      const { page, context } = await open(file);
      assert.equal(await page.locator('main').count(), 1);
      assert.equal(await page.locator('h1').count(), 1);
      const levels = await page.locator('h1, h2, h3, h4').evaluateAll((all) => all.map((h) => Number(h.tagName[1])));
      levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1, 'no level is left out'));
      await context.close();
    }
  },

  async 'prints on A4, and without scripts the results are there as text'() {
    for (const [name, file] of Object.entries(pages)) {
      const { page, context } = await open(file, { colorScheme: 'dark' });
      const pdf = await page.pdf({ path: join('screenshots', `${name}.pdf`), format: 'A4' });
      assert.ok(pdf.length > 10000);
      await context.close();
      const without = await open(file, { javaScriptEnabled: false });
      assert.match(await without.page.locator('body').textContent(), name === 'study' ? /circuit:mode=rounds/ : /37\.3 % of the ideal/);
      await without.context.close();
    }
  },
});
