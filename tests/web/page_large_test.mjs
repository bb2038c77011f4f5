// Large fabrics by pods: what the page says of pods, switches and links is what the command writes, and it answers.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bough, dataOf, open, parseCsv, run, screenshot, work } from './support.mjs';

async function openPage(name, ...args) {
  const file = join(work, `${name}.html`);
  bough('check', ...args, '--html', file);
  assert.ok(statSync(file).size < 5_000_000, `${statSync(file).size} bytes`);
  const opened = await open(file);
  return { ...opened, file, data: dataOf(file).fabric };
}

// The loads of the page, recomputed from those of all links.
function checkLoads(data, file) {
  const { pods } = data;
  const pod = new Map(pods.switch.map(([i, , , name]) => [name, i]));
  const index = new Map(pods.switch.map(([, , , name], i) => [name, i]));
  const level = (name) => Number(name.match(/^s(\d+)/)?.[1] ?? 0);
  const loads = pods.pod.map(() => [0, 0, 0]);
  const most = new Array(2 * pods.switch.length).fill(0);
  const all = [];
  for (const row of parseCsv(readFileSync(file, 'utf8'))) {
    const [from, to] = [row.from_name, row.to_name];
    const load = Number(row.flows);
    if (!level(from) || !level(to)) continue;
    all.push(load);
    const [a, b] = [pod.get(from), pod.get(to)];
    const put = (list, i) => { list[i] = Math.max(list[i], load); };
    if (a !== undefined && a === b) put(loads[a], 2);
    else {
      if (a !== undefined) put(loads[a], 0);
      if (b !== undefined) put(loads[b], 1);
    }
    const down = level(to) < level(from);
    const at = index.get(down ? to : from);
    if (at !== undefined) put(most, 2 * at + Number(down));
  }
  all.sort((a, b) => b - a);
  const routing = pods.routings[0];
  assert.deepEqual(routing.pods, loads);
  assert.deepEqual(routing.switches, most);
  assert.deepEqual(routing.top.map(([, load]) => load), all.filter((x) => x > 0).slice(0, routing.top.length));
  assert.equal(routing.equal, all.filter((x) => x === all[0]).length);
}

await run({
  async '8192 hosts, a link at a time'() {
    const csv = join(work, 'loads.csv');
    const { page, context, wrong, data } = await openPage('some', 'xgft:down=16x16x32,up=1x16x12,hosts=8100', '--routing', 'dmodk', '--links', csv, '--trials', '2');
    assert.equal(data.net, null);
    assert.equal(data.pods.pod.length, 32);
    assert.deepEqual(data.pods.pod.map(([, switches, hosts]) => [switches, hosts]), data.pods.pod.map((_, i) => [32, Math.floor(((i + 1) * 8100) / 32) - Math.floor((i * 8100) / 32)]));
    assert.equal(data.pods.above, 192);
    checkLoads(data, csv);
    // A pod opens by a click and by the keyboard, and lists its switches.
    const panel = page.locator('.podpanel');
    await page.getByRole('button', { name: /^pod 7 / }).click();
    assert.ok((await panel.textContent()).startsWith('pod 732 switches from s1.112 on, 254 hosts, 192 cables out of it'), await panel.textContent());
    assert.equal(await panel.locator('tbody tr').count(), 20);
    await panel.getByRole('button', { name: /more of 32 rows/ }).click();
    assert.equal(await panel.locator('tbody tr').count(), 32);
    await page.getByRole('button', { name: /^pod 8 / }).focus();
    await page.keyboard.press('Enter');
    assert.ok((await panel.locator('h3').textContent()) === 'pod 8');
    await panel.getByRole('button', { name: 'Close' }).click();
    assert.equal(await panel.textContent(), '');
    // The most loaded link is named.
    const [link, load] = data.pods.routings[0].top[0];
    const row = await page.locator('.podsview table').first().locator('tbody tr').first().allTextContents();
    assert.ok(row[0].startsWith(link) && row[0].endsWith(String(load)), row[0]);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async '65,536 hosts'() {
    for (const [name, spec, pods] of [['clos', 'clos:radix=64,hosts=65536', 64], ['kary', 'kary:k=16,levels=4', 16], ['leaves', 'xgft:down=32x2048,up=1x32', 256]]) {
      const { page, context, wrong, data, file } = await openPage(name, spec, '--routing', 'random');
      assert.equal(data.pods.pod.length, pods);
      assert.equal(data.pods.pod.reduce((n, p) => n + p[2], 0), 65536);
      assert.equal(await page.locator('button.pod').count(), pods);
      const ready = await page.evaluate(() => Math.round(performance.now()));
      const before = Date.now();
      await page.locator('button.pod').last().click();
      await page.locator('.podpanel h3').waitFor();
      console.log(`   ${spec}: ${statSync(file).size} bytes, all drawn before ${ready} ms, a pod opened in ${Date.now() - before} ms`);
      for (const [width, scheme] of [[1400, 'light'], [500, 'dark']]) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height: 1000 });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `fits ${width}`);
        assert.ok(await page.evaluate(() => [...document.querySelectorAll('.pod span')].every((s) => parseFloat(getComputedStyle(s).fontSize) >= 12 && s.scrollWidth <= s.clientWidth + 1)), 'text is readable');
        await screenshot(page, `large-${name}-${width}`);
      }
      assert.deepEqual(wrong, []);
      await context.close();
    }
  },
});
