// Bundles the page into one script and one style sheet, and writes both as a C file with their hashes for the
// page's Content-Security-Policy: node build.mjs OUT.c, in a directory with node_modules.
// node build.mjs OUT.html ENGINE EXAMPLES writes bough in a browser instead, of ENGINE.js and ENGINE.wasm.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const [out, engine, examples] = process.argv.slice(2);
if (!out || (out.endsWith('.html') && !examples)) {
  console.error('usage: node build.mjs OUT.c | OUT.html ENGINE EXAMPLES');
  process.exit(2);
}

// What ends a script element must not stand in one.
const quiet = (text) => text.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2021',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return quiet(result.outputFiles[0].text.trim());
}

const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;

// Bytes as a C string in pieces; three octal digits, so that no digit after one is read as part of it.
function literal(text) {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let i = 0; i < bytes.length; i += 100) {
    let line = '';
    for (const c of bytes.subarray(i, i + 100)) {
      if (c === 34 || c === 92 || c === 63) line += `\\${String.fromCharCode(c)}`;
      else if (c >= 32 && c < 127) line += String.fromCharCode(c);
      else line += `\\${c.toString(8).padStart(3, '0')}`;
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n') || '    ""';
}

function writeAssets({ script, style }) {
  writeFileSync(
    out,
    `/* Made by web/build.mjs. */
#include "report/pages/page_assets.h"

static const char script[] =
${literal(script)};
static const char style[] =
${literal(style)};
const struct page_assets page_assets = {script, "${hash(script)}", style, "${hash(style)}", 0};
`,
  );
  console.log(`script ${script.length} bytes, style ${style.length} bytes`);
}

// The page shows the command's pages in a frame, which inherits this policy: their scripts and styles are allowed too.
async function writeApp(page) {
  const script = await bundle('src/app.ts');
  const style = await bundle('src/app.css');
  const worker = `${readFileSync(`${engine}.js`, 'utf8')}\n${await bundle('src/app_worker.ts')}`;
  const list = JSON.parse(readFileSync('src/app_examples.json', 'utf8'));
  const files = Object.fromEntries(list.flatMap((e) => e.files).map((path) => [path, readFileSync(`${examples}/${path}`, 'base64')]));
  const parts = {
    POLICY:
      `default-src 'none'; script-src '${hash(script)}' '${hash(page.script)}' 'wasm-unsafe-eval'; worker-src blob:; ` +
      `style-src '${hash(style)}' '${hash(page.style)}'; img-src data: blob:; base-uri 'none'; form-action 'none'`,
    STYLE: style,
    ENGINE: gzipSync(readFileSync(`${engine}.wasm`), { level: 9 }).toString('base64'),
    WORKER: quiet(worker),
    EXAMPLES: JSON.stringify(files),
    SCRIPT: script,
  };
  const html = readFileSync('src/app.html', 'utf8').replace(/\b(POLICY|STYLE|ENGINE|WORKER|EXAMPLES|SCRIPT)\b/g, (name) => parts[name]);
  writeFileSync(out, html);
}

const page = { script: await bundle('src/main.ts'), style: await bundle('src/page.css') };
if (engine) await writeApp(page);
else writeAssets(page);
