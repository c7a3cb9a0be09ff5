// Plots with the real Vega-Lite and in a real browser: every kind of plot compiles without a warning, draws from a
// file without network, and no label breaks out of it. A program that was built without the drawing script shows the
// data as tables, and is held to that instead.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, isDrawn as drawn, look, openBrowser, openPage } from './browser.mjs';
import { assay, readJson, root, scratch, start } from './harness.mjs';

const gallery = process.env.ASSAY_GALLERY ?? join(build, 'tests/plot_gallery');
const vegaLite = join(build, 'web/node_modules/vega-lite/build/index.js');
const screenshots = join(build, 'screenshots');

async function makeGallery(t) {
  const directory = scratch(t);
  const { code, stderr } = await start([directory], { command: gallery }).ended;
  assert.equal(code, 0, stderr);
  return directory;
}

function assertDrawn(seen, { complaints, requests }, { title, count }) {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !/^(file|data):/.test(url)), []);
  assert.equal(seen.title, title);
  assert.ok(seen.overflow <= 0, `the page is ${seen.overflow} px too wide`);
  assert.equal(seen.foreign, 0);
  assert.equal(seen.plots.length, count);
  for (const plot of seen.plots) {
    assert.ok(plot.rows > 0, `${plot.name} has no table of its data`);
    if (!drawn) continue;
    assert.ok(plot.shapes > 0, `${plot.name} drew no mark`);
    assert.ok(plot.width > 0 && plot.width <= plot.room, `${plot.name} is ${plot.width} px wide in ${plot.room}`);
  }
}

test('Vega-Lite compiles every kind of plot without a warning', async (t) => {
  const directory = await makeGallery(t);
  const files = readdirSync(directory).filter((name) => name.endsWith('.vl.json'));
  assert.equal(files.length, 22);
  for (const file of files) assert.ok(readJson(join(directory, file)).data.values.length > 0, file);
  if (!drawn) return;
  const { compile } = await import(pathToFileURL(vegaLite).href);
  for (const file of files) {
    const said = [];
    const note = (...words) => { said.push(words.join(' ')); return logger; };
    const logger = { level: () => logger, warn: note, error: note, info: () => logger, debug: () => logger };
    const { spec } = compile(readJson(join(directory, file)), { logger });
    assert.deepEqual(said, [], file);
    assert.ok(spec.marks.length > 0, file);
  }
});

test('every plot draws from a file without network, at desk and phone width, light and dark, and hostile labels stay text', async (t) => {
  const directory = await makeGallery(t);
  mkdirSync(screenshots, { recursive: true });
  const instance = await openBrowser(t);
  for (const [width, colorScheme] of [[1280, 'light'], [390, 'dark']]) {
    const opened = await openPage(instance, join(directory, 'gallery.html'), { width, colorScheme });
    const seen = await look(opened.page);
    assertDrawn(seen, opened, { title: 'Gallery · Assay', count: 22 });
    assert.equal(seen.scripts, 1);
    await opened.page.screenshot({ path: join(screenshots, `gallery-${width}-${colorScheme}.png`), fullPage: true });
  }
});

test('the names beside and above a matrix are drawn whole, on a phone too', async (t) => {
  if (!drawn) return;
  const directory = await makeGallery(t);
  const instance = await openBrowser(t);
  for (const width of [1280, 390]) {
    const { page } = await openPage(instance, join(directory, 'gallery.html'), { width });
    await look(page);
    const matrices = await page.evaluate(() => [...document.querySelectorAll('figure.plot')].flatMap((figure) => {
      const { plots } = JSON.parse(document.getElementById('report-data').textContent);
      const { encoding } = plots.find(({ name }) => name === figure.dataset.name).spec;
      if (encoding?.x?.field !== 'column') return [];
      const texts = [...figure.querySelectorAll('.role-axis-label text')].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect().toJSON() }));
      return [{ name: figure.dataset.name, wanted: [...encoding.x.scale.domain, ...encoding.y.scale.domain], texts, picture: figure.querySelector('svg').getBoundingClientRect().toJSON() }];
    }));
    assert.ok(matrices.length >= 4, `${matrices.length} matrices`);
    const bare = (text) => text.replace(/\s/g, '');
    for (const { name, wanted, texts, picture } of matrices) {
      assert.deepEqual(texts.map(({ text }) => bare(text)).sort(), wanted.map(bare).sort(), `${name} at ${width} px`);
      for (const { text, box } of texts) {
        assert.ok(box.left >= picture.left - 1 && box.right <= picture.right + 1 && box.top >= picture.top - 1, `${name} at ${width} px: ${text} is cut at the edge`);
      }
    }
  }
});

test('a plot can be saved as SVG, PNG and spec, with the labels as text', async (t) => {
  if (!drawn) return;
  const directory = await makeGallery(t);
  const { page, complaints } = await openPage(await openBrowser(t), join(directory, 'gallery.html'), { width: 1280 });
  const figure = page.locator('figure[data-name="hostile_intervals"]');
  const saved = async (words) => {
    const [download] = await Promise.all([page.waitForEvent('download'), figure.getByRole('button', { name: words, exact: true }).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const svg = await saved('SVG');
  assert.equal(svg.name, 'hostile_intervals.svg');
  assert.match(svg.bytes.toString(), /^<svg/);
  assert.doesNotMatch(svg.bytes.toString(), /<script|<img/);
  assert.match(svg.bytes.toString(), /&lt;img src=x/);
  const png = await saved('PNG');
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  const spec = await saved('Vega-Lite');
  assert.deepEqual(JSON.parse(spec.bytes), readJson(join(directory, 'hostile_intervals.vl.json')));
  assert.deepEqual(complaints, []);
});

test('without scripts the page shows the data of every plot', async (t) => {
  const directory = await makeGallery(t);
  const { page } = await openPage(await openBrowser(t), join(directory, 'gallery.html'), { width: 1280, javaScriptEnabled: false });
  assert.ok(await page.locator('#plots td', { hasText: 'passport renewal' }).first().isVisible());
});

test('a run draws what its evaluation has, and keeps each spec beside the report', async (t) => {
  const runs = {
    question_router: ['components/question_router.yaml', ['headline_shares', 'confusion_matrix', 'precision_by_label', 'calibration']],
    rag_answers: ['components/rag_answers.yaml', ['headline_figures', 'scores', 'distribution_coherence_mean', 'latency']],
    persona: ['persona/persona_mode1.yaml', ['headline_shares', 'headline_figures', 'ratings_by_classification', 'ratings_by_perspective']],
  };
  const instance = await openBrowser(t);
  mkdirSync(screenshots, { recursive: true });
  for (const [name, [config, wanted]] of Object.entries(runs)) {
    const directory = join(scratch(t), 'run');
    const { code, stderr } = await assay(['run', join(root, 'examples', config), '--output-dir', directory, '--quiet']);
    assert.ok([0, 1].includes(code), `${name}: ${stderr}`);
    const files = readdirSync(join(directory, 'plots'));
    for (const plot of wanted) assert.ok(files.includes(`${plot}.vl.json`), `${name} has ${files}, not ${plot}`);
    assert.equal(files.filter((file) => !/^[a-z0-9_-]+\.vl\.json$/.test(file)).length, 0, `${files}`);
    for (const width of [1280, 390]) {
      const opened = await openPage(instance, join(directory, 'report.html'), { width });
      const seen = await look(opened.page);
      assertDrawn(seen, opened, { title: seen.title, count: files.length });
      await opened.page.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true });
    }
    const { stdout } = await assay(['report', directory, '--format', 'md']);
    assert.match(stdout, /plots\/headline_\w+\.vl\.json/);
  }
});
