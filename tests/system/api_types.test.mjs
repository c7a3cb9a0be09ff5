// A client in TypeScript gets its types from the OpenAPI file that the service gives out: a generator reads the whole of it,
// and the compiler holds the page's own types against what it made.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root, scratch, write } from './harness.mjs';
import { service } from './service_process.mjs';

const require = createRequire(import.meta.url);

const answers = `
import type { paths } from './openapi';
import type * as page from '${join(root, 'web/src/api/types')}';

type Json<R> = R extends { content: { 'application/json': infer T } } ? T : never;
type Get<P extends keyof paths> = paths[P] extends { get: { responses: { 200: infer R } } } ? Json<R> : never;
// Only where there is such an answer: everything could be assigned from \`never\`.
type Some<T> = [T] extends [never] ? { thereIsNoSuchAnswer: true } : T;
declare function fits<T>(answer: T): void;
declare function answer<P extends keyof paths>(): Some<Get<P>>;

fits<page.About>(answer<'/api/about'>());
fits<page.RunList>(answer<'/api/runs'>());
fits<page.RunDetail>(answer<'/api/runs/{run}'>());
fits<page.CasePage>(answer<'/api/runs/{run}/cases'>());
fits<page.CaseView>(answer<'/api/runs/{run}/case'>());
fits<page.Comparisons>(answer<'/api/compare'>());
fits<page.DriftOfRuns>(answer<'/api/drift'>());
fits<page.PlanOfPilot>(answer<'/api/plan'>());
fits<page.AuditedRuns>(answer<'/api/audit'>());
fits<page.SheetList>(answer<'/api/runs/{run}/sheets'>());
fits<page.Sheet>(answer<'/api/sheets/{sheet}'>());
fits<page.NextTask>(answer<'/api/sheets/{sheet}/next'>());
fits<page.Agreement>(answer<'/api/sheets/{sheet}/agreement'>());
fits<{ configs: page.ConfigGlance[] }>(answer<'/api/configs'>());
interface Page { total: number; remaining: number; next: string | null }
interface Job { job_id: string; status: 'INITIATED' | 'PROCESSING' | 'COMPLETE' | 'ERROR' | 'CANCELLED'; processed_items?: number; usage: { total_tokens: number } }
fits<Page & { items: { contentItemSummary: { itemId: string }; evaluateClassifications: { classificationName: string; classificationValue: string | null }[] }[] }>(answer<'/data/eval/fetch-evaluation-items'>());
fits<Page & { results: { resultId: number; itemId: string; evaluationLikertVal?: number }[] }>(answer<'/data/eval/get-evaluation-data'>());
fits<Page & { failures: { failureId: number; recordedMs: number; model: string; items?: string[] }[] }>(answer<'/data/eval/get-evaluation-failures'>());
fits<Page & { jobs: Job[]; totals: { total_tokens: number } }>(answer<'/data/eval/get-evaluation-jobs'>());
fits<Job & { eval_info?: { classification: string; evaluationResult: string | number }[]; evaluations?: { results: { itemId: string }[] }[] }>(answer<'/data/eval/process-evals/{mode}/{job_id}'>());
fits<{ metrics: Record<string, { value: number | null; n: number }>; cases: { total: number } }>(answer<'/data/eval/process-evals/{mode}/{job_id}/figures'>());
fits<{ versions: { version: number; persona: { id: string; name: string } }[] }>(answer<'/data/eval/persona'>());
fits<page.Retention>(answer<'/api/retention'>());
fits<page.ConfigDetail>(answer<'/api/config'>());
`;

test('types are generated from the OpenAPI file, and the page expects what it promises', async (t) => {
  const directory = scratch(t);
  const { base } = await service(t, join(directory, 'store'));
  const { default: generate, astToString } = await import('openapi-typescript');
  const document = await (await fetch(new URL('/openapi.json', base))).json();
  write(join(directory, 'openapi.d.ts'), astToString(await generate(document, { arrayLength: true })));
  const compiled = (text) => {
    const file = write(join(directory, 'answers.ts'), text);
    const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    try {
      return execFileSync(process.execPath, [compiler, '--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', '--lib', 'es2022,dom', file], { encoding: 'utf8' });
    } catch (error) {
      return error.stdout;
    }
  };
  assert.equal(compiled(answers), '');
  assert.match(compiled(answers.replace("'/api/about'>()", "'/api/runs'>()")), /is not assignable to parameter of type 'About'/);
});
