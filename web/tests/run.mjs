// The page's pure parts under Node's own test runner: node tests/run.mjs
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const outdir = mkdtempSync(join(tmpdir(), 'assay-page-'));
const tests = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
await build({ absWorkingDir: here, entryPoints: tests, bundle: true, platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' }, outdir });
const files = tests.map((name) => join(outdir, name.replace(/\.ts$/, '.mjs')));
const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=dot', ...files], { stdio: 'inherit' });
rmSync(outdir, { recursive: true });
process.exit(status ?? 1);
