// What the tests of the page share: the command, a browser without a network, and checks.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const source = process.env.SOURCE;
export const shared = resolve(source, '../shared/data');
export const work = mkdtempSync(join(tmpdir(), 'bough-page-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

export function bough(...args) {
  return execFileSync(process.env.BOUGH, args, { cwd: work, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
}

// Runs a study; returns its directory.
export function study(name, text, ...more) {
  writeFileSync(join(work, `${name}.yaml`), text);
  bough('run', `${name}.yaml`, '--out', name, ...more);
  return join(work, name);
}

let browser = null;
export async function open(file, options = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
  const context = await browser.newContext({ acceptDownloads: true, viewport: { width: 1280, height: 900 }, ...options });
  const wrong = [];
  await context.route('**/*', (route) => {
    const url = route.request().url();
    if (/^(file|blob|data):/.test(url)) return route.continue();
    wrong.push(`asked the network for ${url}`);
    return route.abort();
  });
  await context.setOffline(true);
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(pathToFileURL(file).href);
  if (options.javaScriptEnabled !== false) await page.waitForSelector('html[data-ready]');
  return { page, context, wrong };
}

export async function end() {
  await browser?.close();
}

// The data as the page has them.
export function dataOf(html) {
  const text = readFileSync(html, 'utf8');
  return JSON.parse(text.match(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/)[1]);
}

// Opens what is folded: charts are drawn, and tables have a size.
export async function unfold(file) {
  const opened = await open(file);
  await opened.page.evaluate(() => document.querySelectorAll('section.folded > details').forEach((d) => { d.open = true; }));
  await opened.page.waitForTimeout(200);
  return opened;
}

export function parseCsv(text) {
  const rows = [];
  let row = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') field += text[++i];
      else if (c === '"') quoted = false;
      else field += c;
    } else if (c === '"') quoted = true;
    else if (c === ',' || c === '\n') {
      row.push(field);
      field = '';
      if (c === '\n') {
        rows.push(row);
        row = [];
      }
    } else field += c;
  }
  const [head, ...body] = rows;
  return body.map((r) => Object.fromEntries(head.map((name, i) => [name, r[i]])));
}

export async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

export function screenshot(page, name) {
  return page.screenshot({ path: join('screenshots', `${name}.png`), fullPage: true });
}

// "6.950 ± 0.080 (95 %)" says the number, rounded to the digits that it shows.
export function shows(text, mean) {
  const shown = text.match(/^-?[\d.]+(e[+-]?\d+)?/)?.[0];
  assert.ok(shown, `a number at the beginning of "${text}"`);
  if (/e/.test(shown) || !text.includes('\u00b1')) return Math.abs(Number(shown) - mean) <= 1e-5 * Math.abs(mean);
  return Number(shown) === Number(mean.toFixed(shown.split('.')[1]?.length ?? 0));
}

export async function run(tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
  await end();
  process.exit(failed ? 1 : 0);
}
