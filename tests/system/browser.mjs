// Pages of a run in a real browser, opened from their files with the network cut off.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './harness.mjs';

export const build = process.env.ASSAY_BUILD ?? join(root, 'build');

export async function openBrowser(t) {
  const { chromium } = await import('playwright-core');
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
  assert.ok(executablePath, 'Chromium is not installed: ./dev test does it');
  const launched = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  t.after(() => launched.close());
  return launched;
}

// Everything that the page complains of or asks for is kept.
export async function openPage(instance, file, { width, colorScheme = 'light', javaScriptEnabled = true }) {
  const context = await instance.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled, offline: true });
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(pathToFileURL(file).href);
  return { page, complaints, requests };
}

// With everything opened below the plots: those that are folded, and the data of each.
const openPlots = () => {
  const details = [...document.querySelectorAll('#plots details')];
  const closed = details.filter(({ open }) => !open);
  for (const one of closed) one.open = true;
  return closed.length === 0 && [...document.querySelectorAll('figure.plot')].every((figure) => figure.querySelector('.canvas svg') && figure.querySelector('tbody tr'));
};

export const look = async (page) => {
  await page.waitForFunction(openPlots);
  return page.evaluate(seen);
};

// Whether the program draws its reports, or was built without the scripts for it.
export const isDrawn = existsSync(join(build, 'web/with/report.js'));

const seen = () => {
  // A word that stands on two lines: its letters lie in boxes below each other. A hash may be broken.
  const broken = [];
  for (const cell of document.querySelectorAll('main td, main th')) {
    if (cell.closest('.tall') || cell.getClientRects().length === 0) continue;
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() && broken.length < 20) {
      const node = texts.currentNode;
      for (const word of node.data.matchAll(/(?<![A-Za-z0-9])[A-Za-z]{3,20}(?![A-Za-z0-9])/g)) {
        const range = document.createRange();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(`${word[0]} in ${cell.textContent.slice(0, 60)}`);
      }
    }
  }
  return {
    title: document.title,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    broken,
    foreign: document.querySelectorAll('main img, main iframe, main a[href^="javascript"]').length,
    scripts: document.querySelectorAll('script:not([type])').length,
    plots: [...document.querySelectorAll('figure.plot, #plain #plots .block')].map((figure) => ({
      name: figure.dataset.name ?? figure.querySelector('h3').textContent,
      shapes: figure.querySelectorAll('.canvas svg .role-mark path, .canvas svg .role-mark line, .canvas svg .role-mark text').length,
      width: figure.querySelector('.canvas svg')?.getBoundingClientRect().width ?? 0,
      room: figure.getBoundingClientRect().width,
      rows: figure.querySelectorAll('tbody tr').length,
    })),
  };
};
