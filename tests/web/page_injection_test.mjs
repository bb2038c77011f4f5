// Names that are markup or script stay text, in the page of a study and of a fabric.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bough, download, open, run, source, study, work } from './support.mjs';

const EVIL = '</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1><!--<svg onload=window.pwned=1> & "q" \u2028 \u2029 ${1}';

async function harmless(file) {
  const { page, context, wrong } = await open(file);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.equal(await page.locator('script, iframe, object, embed, link').count(), 0); // the page's own are gone once it stands
  return { page, context, wrong };
}

await run({
  async 'a study'() {
    const quoted = JSON.stringify(EVIL).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
    const folder = study('evil', `study: ${quoted}
network: fattree:n=16
traffic: uniform:m={m}
methods: [circuit:mode=rounds]
grid:
  - m: [4, 8]
  - what: ["<i>x</i>", "<script>window.pwned=1</script>"]
trials: 3
`);
    const file = join(folder, 'report.html');
    const text = readFileSync(file, 'utf8');
    assert.equal(text.match(/<script/g).length, 2);
    assert.equal(text.match(/<\/script/g).length, 2);
    assert.ok(!/\u2028|\u2029/.test(text.slice(text.indexOf('id="data"'), text.indexOf('</script>'))));
    const { page, context, wrong } = await harmless(file);
    assert.equal(await page.locator('h1').textContent(), EVIL);
    assert.ok((await page.title()).startsWith('</script><script>window.pwned=1</script><img'));
    assert.ok((await page.locator('.series').first().textContent()).includes('<i>x</i>'));
    await page.locator('.plot').first().focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    const picture = await download(page, page.getByRole('button', { name: /^Save as SVG/ }).first());
    assert.ok(!/<script|<i>/.test(picture.text));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'a fabric'() {
    const original = readFileSync(join(source, 'examples/fabric/cluster.ibnetdiscover'), 'utf8');
    // One host gets a name that is markup.
    const hosts = [...new Set([...original.matchAll(/"(\w[\w-]*) (mlx5_\d+|HCA-\d+)"/g)].map((m) => m[1]))];
    assert.ok(hosts.length > 3);
    const evil = "<img/src=x/onerror=window.pwned=1>";
    writeFileSync(join(work, 'evil.ibnetdiscover'), original.replaceAll(`"${hosts[0]} `, `"${evil} `));
    bough('check', 'evil.ibnetdiscover', '--html', 'evil.html');
    const { page, context, wrong } = await harmless(join(work, 'evil.html'));
    await page.getByLabel('From: name of a host').fill(evil);
    await page.getByLabel('To: name of a host').fill(hosts[1]);
    await page.getByRole('button', { name: 'Show path' }).click();
    assert.ok((await page.locator('.paths').textContent()).includes(`${evil} to ${hosts[1]}`));
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'inline script and foreign code do not run'() {
    const folder = study('plain', 'network: fattree:n=16\nmethods: [collision]\n');
    const file = join(folder, 'report.html');
    const text = readFileSync(file, 'utf8').replace('<body>', '<body><script>window.pwned=1</script><img src="data:," onerror="window.pwned=1">');
    writeFileSync(join(work, 'changed.html'), text);
    const { page, context, wrong } = await open(join(work, 'changed.html'));
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    const policy = text.match(/http-equiv="Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; img-src data: blob:;/);
    assert.ok(!policy.includes('unsafe'));
    assert.ok(wrong.length > 0 && wrong.every((w) => /Content.Security.Policy/i.test(w)), wrong.join('\n'));
    await context.close();
  },
});
