// The page of a running `assay serve` in a real browser, and what is held against every screen of it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const screenshots = join(build, 'screenshots');
mkdirSync(screenshots, { recursive: true });

// A tab with everything that it complains of or asks for. `token`: as if it had been entered.
export async function openTab(browser, base, path, { width = 1280, colorScheme = 'light', token } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, acceptDownloads: true });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const seen = { complaints: [], requests: [] };
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) seen.complaints.push(`${message.text()} ${message.location().url}`); });
  page.on('pageerror', (error) => seen.complaints.push(error.message));
  page.on('request', (request) => seen.requests.push(request.url()));
  page.on('dialog', (dialog) => { seen.complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  if (token) await page.addInitScript((given) => sessionStorage.setItem('assay-token', given), token);
  await page.goto(base + path);
  return { page, seen, close: () => context.close() };
}

// Nothing was asked of anybody else, nothing was complained of, nothing of the data became markup.
export function assertQuiet({ complaints, requests }, base) {
  assert.deepEqual(complaints, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith(`${base}/`) && !/^(data|blob):/.test(url)), []);
}

export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

export async function assertAccessible(page, name) {
  // axe is put in by the test, past the page's own policy.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${name}: ${id} ${nodes.slice(0, 4).map(({ target, failureSummary }) => `${target} ${failureSummary}`).join(' | ')}`);
  assert.deepEqual(grave, []);
}
