// A trace of --trace in a viewer of such files, the Performance panel of Chromium's DevTools: the panel loads it without
// a complaint, and its importer has every process, thread, span, arrow and counter that was written. Skipped where the
// browser has no such front end.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { bough, screenshot, work } from './support.mjs';

const PANEL = 'devtools://devtools/bundled/devtools_app.html?panel=timeline';

function written(events) {
  const of = (...phases) => events.filter((event) => phases.includes(event.ph));
  const names = (kind) => of('M').filter((event) => event.name === kind);
  const threads = {};
  for (const { pid, tid } of of('X')) threads[`${pid}/${tid}`] = (threads[`${pid}/${tid}`] ?? 0) + 1;
  return {
    processes: Object.fromEntries(names('process_name').map((event) => [event.pid, event.args.name])),
    names: Object.fromEntries(names('thread_name').map((event) => [`${event.pid}/${event.tid}`, event.args.name])),
    threads,
    arrows: of('s').length,
    counters: of('C').length,
    end: Math.max(...of('X').map((event) => event.ts + event.dur)),
  };
}

// Runs in the page of the panel, with its own importer.
async function imported(text) {
  const { TraceModel } = await import('./models/trace/trace.js');
  const model = TraceModel.Model.createWithAllHandlers();
  await model.parse(JSON.parse(text).traceEvents, { metadata: {}, isFreshRecording: false });
  const trace = model.parsedTrace(0);
  const { Meta, Renderer, Flows, Warnings } = trace.data;
  const threads = {};
  const names = {};
  let depth = 0;
  for (const [pid, process] of Renderer.processes)
    for (const [tid, thread] of process.threads) {
      threads[`${pid}/${tid}`] = thread.entries.length;
      names[`${pid}/${tid}`] = thread.name;
      depth = Math.max(depth, thread.tree?.maxDepth ?? 0);
    }
  return {
    generic: Meta.traceIsGeneric,
    processes: Object.fromEntries([...Meta.processNames].map(([pid, event]) => [pid, event.args.name])),
    names,
    threads,
    depth,
    arrows: Flows.flows.filter((flow) => flow.length === 2).length,
    counters: trace.traceEvents.filter((event) => event.ph === 'C').length,
    end: Meta.traceBounds.max,
    warnings: Warnings.perEvent.size + Warnings.perWarning.size,
  };
}

const browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const wrong = [];
  page.setDefaultTimeout(30000);
  const there = await page.goto(PANEL).then(() => page.evaluate(async () => !!(await import('./models/trace/trace.js')).TraceModel.Model.createWithAllHandlers)).catch(() => false);
  if (!there) {
    console.log('skipped: this browser has no Performance panel with an importer of traces');
    process.exit(77);
  }
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  const jobs = [
    ['ring', ['allreduce:ring,size=1MB', 'flow']],
    ['alltoall', ['alltoall:algo=pairwise,size=1MB', 'packet']],
  ];
  for (const [name, job] of jobs) {
    const file = join(work, `${name}.json`);
    bough('sim', 'xgft:down=4x4,up=1x1', ...job, '--routing', 'dmodk', '--trace', file);
    const text = readFileSync(file, 'utf8');
    await page.goto(PANEL);
    const want = written(JSON.parse(text).traceEvents);
    const have = await page.evaluate(imported, text);
    assert.ok(want.arrows > 200 && want.counters > 200);
    assert.equal(have.generic, true); // not taken for a recording of a browser
    assert.deepEqual(have.processes, want.processes);
    assert.deepEqual(have.threads, want.threads);
    for (const thread of Object.keys(have.threads)) assert.equal(have.names[thread], want.names[thread], thread);
    assert.equal(have.depth, 1); // no span seems to be within another
    assert.equal(have.arrows, want.arrows);
    assert.equal(have.counters, want.counters);
    assert.ok(Math.abs(have.end - want.end) < 0.0015, `${have.end} ${want.end}`);
    assert.equal(have.warnings, 0);
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('[aria-label^="Load"]').first().click()]);
    await chooser.setFiles(file);
    await page.locator('[aria-label^="Save"]:not([disabled])').first().waitFor(); // there is a trace to save
    await screenshot(page, `trace_viewer_${name}`);
  }
  assert.deepEqual(wrong, []);
} finally {
  await browser.close();
}
console.log('ok trace viewer');
