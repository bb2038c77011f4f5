// The page of a fabric: what it carries is what the check says, hosts are found, paths are shown and right.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bough, dataOf, download, open, parseCsv, run, screenshot, shared, source, work } from './support.mjs';

const example = join(source, 'examples/fabric/cluster');
const dgx = join(shared, 'fabrics/dgx-ndr.opensm');

// The next hops of the page, followed for all pairs: loads and hops as the check counts them.
function follow(net, routing) {
  const { sets, rows } = routing.hops_to;
  const next = rows.map((runs) => {
    const row = [];
    for (let i = 0; i < runs.length; i += 2) for (let k = 0; k < runs[i + 1]; k++) row.push(runs[i]);
    return row;
  });
  const load = new Array(net.from.length).fill(0);
  const hops = new Map();
  for (let s = 0; s < net.endpoints; s++)
    for (let d = 0; d < net.endpoints; d++) {
      if (s === d) continue;
      let node = s;
      let switches = -1;
      while (node !== d) {
        const set = next[node][d];
        assert.ok(set >= 0, 'there is a route');
        assert.equal(sets[set].length, 1);
        load[sets[set][0]]++;
        assert.equal(net.from[sets[set][0]], node);
        node = net.to[sets[set][0]];
        switches++;
        assert.ok(switches < 20);
      }
      hops.set(switches, (hops.get(switches) ?? 0) + 1);
    }
  return { load, hops: [...hops].sort((a, b) => a[0] - b[0]) };
}

// Hosts share a box if there are more than 128, in other networks than hypercubes every switch has its own.
function checkDrawing(net) {
  const { boxes, box_of, merged } = net.drawing;
  assert.equal(box_of.length, net.names.length);
  assert.equal(new Set(box_of).size, boxes.length);
  for (const [row, x, slot, label, y] of boxes) {
    assert.ok(row >= 0 && typeof label === 'string');
    for (const part of [x, slot, y ?? 0]) assert.ok(part >= 0 && part <= 1);
  }
  const own = (nodes) => new Set(nodes).size === nodes.length;
  assert.equal(own(box_of.slice(0, net.endpoints)), merged === '');
  if (boxes[0].length === 5) assert.deepEqual(box_of.slice(net.endpoints), box_of.slice(0, net.endpoints)); // with its port
  else assert.ok(own(box_of.slice(net.endpoints)));
  assert.equal(merged !== '', net.endpoints > (boxes[0].length === 5 ? 64 : 128));
}

async function showPath(page, from, to) {
  await page.getByLabel('From: name of a host').fill(from);
  await page.getByLabel('To: name of a host').fill(to);
  await page.getByRole('button', { name: 'Show path' }).click();
  return { text: await page.locator('.paths').textContent(), hops: await page.locator('.paths li').allTextContents() };
}

async function checkPage(name, fabric, tables, level) {
  const file = join(work, `${name}.html`);
  const options = tables.flatMap((t) => ['--lft', t]);
  const json = JSON.parse(bough('check', fabric, ...options, '--html', file, '--json', '--worst'));
  const data = dataOf(file).fabric;
  const { results } = json;
  assert.equal(data.endpoints, json.network.endpoints);
  for (const [i, routing] of data.routings.entries()) {
    const { load, hops } = follow(data.net, routing);
    assert.deepEqual(Object.fromEntries(hops), results[i].hops);
    assert.deepEqual(load, routing.load);
    assert.equal(Math.max(...load), results[i].alltoall_max);
    assert.equal(Math.max(...routing.shift), results[i].shift_max);
    assert.deepEqual([...routing.worst].sort((a, b) => a - b), [...routing.worst.keys()]);
    assert.ok(!routing.name.includes('/'), 'no directories');
  }
  checkDrawing(data.net);
  const { page, context, wrong } = await open(file);
  await page.locator('.networkview canvas').waitFor();
  const names = data.net.names;
  const [a, b] = [names[0], names[data.endpoints - 1]];
  const path = await showPath(page, a, b);
  assert.ok(path.text.startsWith(`${a} to ${b}: `), path.text);
  assert.equal(path.hops.length, level);
  assert.ok(path.hops[0].startsWith(a) && path.hops.at(-1).includes(` to ${b} `));
  await screenshot(page, name);
  assert.ok((await showPath(page, a, '')).text.startsWith(`${a} is a host with cables to `));
  assert.ok((await showPath(page, 'no such host', '')).text.includes('no node called'));
  assert.deepEqual(wrong, []);
  return { page, context, wrong, data, json };
}

// The model of stacks is drawn, turns, and loses a stage that is switched off.
async function turnStacks(page) {
  const section = page.locator('section[aria-labelledby=packaging]');
  const picture = () => section.locator('canvas').evaluate((canvas) => canvas.toDataURL());
  const before = await picture();
  await section.locator('.stacks').focus();
  await page.keyboard.press('ArrowLeft');
  await page.waitForTimeout(100);
  const turned = await picture();
  assert.notEqual(turned, before);
  await section.locator('input[type=checkbox]').first().uncheck();
  assert.notEqual(await picture(), turned);
}

await run({
  async 'findings of a plan and of a comparison'() {
    const file = join(work, 'plan.html');
    const json = JSON.parse(bough('check', `${example}.ibnetdiscover`, '--trials', '0', '--expect', 'regular', '--against', `${example}.ibnetdiscover`, '--html', file, '--json'));
    const { page, context, wrong } = await open(file);
    const about = await page.locator('section[aria-labelledby=findings] tbody td:nth-child(2)').allTextContents();
    const plan = json.expected.findings;
    assert.ok(plan.length > 0);
    assert.equal(about.filter((x) => x === 'the plan').length, plan.length);
    assert.deepEqual(wrong, []);
    await context.close();
  },
  async 'the example cluster'() {
    const { page, context, wrong, data, json } = await checkPage('fabric', `${example}.ibnetdiscover`, [`${example}.ftree.lfts.gz`, `${example}.updn.lfts.gz`], 4);
    const text = await page.locator('main').textContent();
    for (const finding of json.findings) assert.ok(text.includes(finding.text));
    const facts = (await page.locator('dl.rows').first().textContent()).replaceAll('\n', '');
    assert.ok(facts.includes('ratescables of hosts: 95 at 100 Gb/s (4xEDR); between switches: 62 at 100 Gb/s (4xEDR)'));
    await page.locator('section.folded > details').evaluateAll((all) => all.forEach((d) => { d.open = true; }));
    // Every shift has its mark.
    const shifts = page.locator('section[aria-labelledby=shifts] section.chart').first();
    assert.equal(await shifts.locator('.mark-symbol path').count(), 2 * 94);
    const table = await download(page, page.getByRole('button', { name: 'Save findings as CSV' }));
    assert.equal(parseCsv(table.text).length, json.findings.length + json.results.reduce((n, r) => n + r.findings.length, 0));
    // Keys walk over switches, and say which.
    await page.locator('.network').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const tip = await page.locator('.network .tip').textContent();
    assert.ok(tip.includes('leaf') && tip.includes('level1'), tip);
    // The pointer on a switch and on the cell of the heat map.
    const box = await page.locator('.network canvas').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    // The other routing, and a shift, change what is drawn and listed.
    await page.getByLabel('Traffic').selectOption({ label: 'shift by' });
    await page.getByLabel('k of the shift').fill('8');
    assert.ok((await page.locator('.networkview').textContent()).includes('the shift by 8'));
    await page.locator('.networkview select').first().selectOption({ index: 1 });
    const most = await page.locator('.networkview .note').first().textContent();
    assert.ok(most.includes(`at most ${data.routings[1].shift[7]} on one link`), most);
    await page.getByLabel('Traffic').selectOption({ label: 'worst permutation' });
    assert.ok((await page.locator('.networkview .note').first().textContent()).includes(`at most ${json.results[1].worst_permutation} on one link`));
    await page.locator('section[aria-labelledby=heat] canvas').scrollIntoViewIfNeeded();
    const map = await page.locator('section[aria-labelledby=heat] canvas').boundingBox();
    await page.mouse.move(map.x + map.width / 3, map.y + map.height / 2);
    assert.ok((await page.locator('section[aria-labelledby=heat] .tip').textContent()).includes('flows up'));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  // A chain: all cables between switches are within one level, and in the matrix; failures and the job are in the summary.
  async 'an irregular fabric'() {
    const lines = ['node,port,node,port'];
    for (let i = 0; i < 6; i++) {
      lines.push(`h${i},1,s${i},1`, `g${i},1,s${i},4`);
      if (i) lines.push(`s${i - 1},2,s${i},3`);
    }
    writeFileSync(join(work, 'chain.csv'), `${lines.join('\n')}\n`);
    bough('check', 'chain.csv', '--faults', 'each:cable', '--job', 'alltoall', '--html', 'chain.html');
    const { page, context, wrong } = await open(join(work, 'chain.html'));
    const { net, routings } = dataOf(join(work, 'chain.html')).fabric;
    const most = Math.max(...routings[0].load);
    assert.equal(most, 36);
    assert.ok((await page.locator('section[aria-labelledby=heat]').textContent()).includes(`with a frame: ${most} flows`));
    assert.equal(new Set(net.drawing.boxes.map(([row]) => row)).size, 8); // distances 0 .. 3 from the middle, hosts below each
    const facts = (await page.locator('dl.rows').first().textContent()).replaceAll('\n', '');
    assert.ok(facts.includes('ratesunknown: all links are taken as 100 Gb/s, by the setting default'), facts);
    assert.ok((await page.locator('section[aria-labelledby=jobs]').textContent()).includes('assumes: links 100Gb/s;'));
    for (const id of ['summary', 'failures', 'jobs']) assert.equal(await page.locator(`main section[aria-labelledby=${id}]`).count(), 1);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  // Leaves of 30, 2, 2 and 30 hosts: the names of the first and last have room, in full; the others are upright.
  async 'names are horizontal where there is room'() {
    const lines = ['node,port,node,port'];
    const name = (i) => `Voltaire 4036 - 36 QDR ports switch-0008f105001085${i}`;
    [30, 2, 2, 30].forEach((hosts, i) => {
      for (let h = 0; h < hosts; h++) lines.push(`h${i}.${h},1,${name(i)},${h + 1}`);
      lines.push(`${name(i)},36,core,${i + 1}`);
    });
    writeFileSync(join(work, 'uneven.csv'), `${lines.join('\n')}\n`);
    bough('check', 'uneven.csv', '--html', 'uneven.html');
    const { page, context, wrong } = await open(join(work, 'uneven.html'));
    await page.evaluate(() => {
      const before = CanvasRenderingContext2D.prototype.fillText;
      window.written = new Map();
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        if (this.canvas.closest('.network')) window.written.set(text, { upright: this.getTransform().b !== 0, size: parseFloat(this.font) });
        return before.call(this, text, ...rest);
      };
    });
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.locator('.network').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => window.written.size > 0);
    const written = await page.evaluate(() => [...window.written]);
    const of = (end) => written.filter(([text]) => text.endsWith(end));
    for (const i of [0, 3]) assert.deepEqual(of(`switch-0008f105001085${i}`).map(([, how]) => how.upright), [false], JSON.stringify(written));
    for (const i of [1, 2]) assert.deepEqual(of(`85${i}`).map(([, how]) => how.upright), [true], JSON.stringify(written));
    assert.ok(written.every(([text, how]) => text === '!' || how.size >= 12), JSON.stringify(written));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'a real fabric of 542 hosts'() {
    if (!existsSync(`${dgx}.ibnetdiscover`)) return console.log('   (not here)');
    const { context } = await checkPage('dgx', `${dgx}.ibnetdiscover`, [`${dgx}-ftree.lfts.gz`, `${dgx}-updn.lfts.gz`], 4);
    await context.close();
  },

  async 'routings that choose, hypercubes and large networks'() {
    bough('check', 'xgft:down=4x4,up=1x4', '--routing', 'random', '--html', 'random.html');
    const { page, context, wrong } = await open(join(work, 'random.html'));
    const data = dataOf(join(work, 'random.html')).fabric;
    const path = await showPath(page, data.net.names[0], data.net.names[15]);
    assert.ok(path.hops[1].includes(', or '), path.hops[1]);
    assert.deepEqual(wrong, []);
    await context.close();
    for (const [name, spec] of [['cube', 'cube:n=16'], ['subcubes', 'cube:n=128'], ['tree', 'fattree:n=64'], ['transit', 'transit:n=64']]) {
      bough('check', spec, '--html', `${name}.html`);
      checkDrawing(dataOf(join(work, `${name}.html`)).fabric.net);
      const opened = await open(join(work, `${name}.html`));
      await screenshot(opened.page, `network-${name}`);
      assert.equal(await opened.page.locator('section[aria-labelledby=layout] img').count(), name === 'tree' ? 1 : 0);
      assert.ok(await opened.page.locator('img').evaluateAll((all) => all.every((image) => image.complete && image.naturalWidth > 100)));
      if (name === 'transit') await turnStacks(opened.page);
      assert.deepEqual(opened.wrong, []);
      await opened.context.close();
    }
    bough('check', 'xgft:down=16x16,up=1x16,links=1x140', '--routing', 'dmodk', '--trials', '1', '--html', 'large.html');
    const large = await open(join(work, 'large.html'));
    assert.equal(dataOf(join(work, 'large.html')).fabric.net, null);
    assert.ok((await large.page.locator('section[aria-labelledby=left]').textContent()).includes('in the drawing of the network'));
    await large.page.getByText('Drawing by levels').click();
    assert.ok((await large.page.locator('section[aria-labelledby=network] figure svg').boundingBox()).width > 100);
    assert.deepEqual(large.wrong, []);
    await large.context.close();
  },
});
