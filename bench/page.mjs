// How soon the page shows a large run: from nothing but the address to the first rows of its cases, by the API and in a
// browser, by a service that has just begun and by one that knows the run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { lines, routed } from './inputs.mjs';
import { assay, binary, root, scratch } from './program.mjs';
import { whole } from './report.mjs';

async function serve(results) {
  const child = spawn(binary, ['serve', '--port', '0', '--results', results, '--store', join(scratch, 'store')], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => { text += chunk; });
  while (!/page is at http:\S+/.test(text)) await once(child.stdout, 'data');
  return { base: /page is at (http:\/\/[^/\s]+)/.exec(text)[1], stop: async () => { child.kill('SIGKILL'); await once(child, 'close'); } };
}

async function timed(work) {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

function browser() {
  const { chromium } = createRequire(join(root, 'tests/system/package.json'))('playwright-core');
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export async function page(report) {
  const chromium = await browser();
  for (const count of [100000, 1000000]) {
    const results = join(scratch, `pages-${count}`);
    assay(['question_router', '--input-path', await lines(scratch, `routes-${count}.jsonl`, count, routed), '--output-dir', join(results, 'router/one'), '--quiet']);
    const service = await serve(results);
    const api = () => timed(async () => (await fetch(`${service.base}/api/runs/router:one/cases?count=50`)).json());
    const [cold, warm] = [await api(), await api()];
    await service.stop();
    const again = await serve(results);
    const shown = (tab) => timed(async () => {
      await tab.goto(`${again.base}/runs/router:one`);
      await tab.locator('.virtual [data-row="0"] a').waitFor();
    });
    const tab = await chromium.newPage();
    const [first, second] = [await shown(tab), await shown(tab)];
    await again.stop();
    report.figure(`first 50 of ${whole(count)} cases by the API, from a service that has just begun and then`, `${whole(cold)} ms and ${whole(warm)} ms`);
    report.figure(`first rows of ${whole(count)} cases in Chromium, the same`, `${whole(first)} ms and ${whole(second)} ms`, '≤ 1 s');
  }
  await chromium.close();
}
