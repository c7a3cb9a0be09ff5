// Makes what is compiled into the program: node build.mjs OUTPUT [REPORT_CSS] writes report.js, which draws a report,
// cases.js, which draws a page of cases beside one, and index.html, page.js and page.css, the page of `assay serve`, whose
// style begins with the report's.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = resolve(process.argv[2] ?? 'dist');
const reportStyle = process.argv[3] ?? join(here, '../src/report/pages/report.css');
mkdirSync(output, { recursive: true });

// A report brings the style of its cases with its script.
const caseStyle = {
  name: 'case style',
  setup(made) {
    made.onLoad({ filter: /case\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'css', minify: true, target: 'es2020' });
      return { contents: code, loader: 'text' };
    });
  },
};

async function bundle(entry) {
  const { outputFiles: [made] } = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2020',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    write: false,
    // Vega-Lite takes four small functions from the whole of Vega, which are in vega-util.
    alias: { vega: 'vega-util' },
    plugins: [caseStyle],
  });
  // Inside a page, these would end the script or change how the rest is read.
  const text = made.text.trimEnd().replaceAll('<!--', '\\x3c!--');
  if (/<\/?script/i.test(text)) throw new Error(`the bundle of ${entry} holds a script tag`);
  return text;
}

// Vega, D3 and Preact ask that their licences go with them.
const licence = (name) => `${name}\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()}`;
const write = (name, text, packages) => writeFileSync(join(output, name), `/*\n${packages.map(licence).join('\n\n')}\n*/\n${text}\n`);
const drawing = ['vega', 'vega-lite', 'd3-scale'];

write('report.js', await bundle('src/report.tsx'), ['preact', ...drawing]);
write('cases.js', await bundle('src/cases_beside.tsx'), ['preact']);
write('page.js', await bundle('src/main.tsx'), ['preact', ...drawing]);
const style = [reportStyle, join(here, 'src/case.css'), join(here, 'src/page.css')].map((path) => readFileSync(path, 'utf8')).join('\n');
const { code } = await transform(style, { loader: 'css', minify: true, target: 'es2020' });
writeFileSync(join(output, 'page.css'), code);
copyFileSync(join(here, 'index.html'), join(output, 'index.html'));
