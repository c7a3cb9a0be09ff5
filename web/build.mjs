// Makes the scripts that are compiled into the program: node build.mjs DIRECTORY writes DIRECTORY/plots.js.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? 'dist');
mkdirSync(output, { recursive: true });

const { outputFiles: [bundle] } = await build({
  absWorkingDir: here,
  entryPoints: ['plots.js'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  legalComments: 'none',
  write: false,
  // Vega-Lite takes four small functions from the whole of Vega, which are in vega-util.
  alias: { vega: 'vega-util' },
});
// Inside a page, these would end the script or change how the rest is read.
const text = bundle.text.trimEnd().replaceAll('<!--', '\\x3c!--');
if (/<\/?script/i.test(text)) throw new Error('the bundle holds a script tag');

// Vega and D3 ask that their licences go with them.
const licence = (name) => `${name}\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()}`;
const licences = ['vega', 'vega-lite', 'd3-scale'].map(licence).join('\n\n');
writeFileSync(join(output, 'plots.js'), `/*\n${licences}\n*/\n${text}\n`);
