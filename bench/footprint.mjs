// What the program takes without a network: its start, its memory as the data grow, and lines that it only reads.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answered, lines, routed, said } from './inputs.mjs';
import { assay, best, inDirectory, judgedArguments, judgedRun, scratch } from './program.mjs';
import { whole } from './report.mjs';

const routedRun = (input) => inDirectory((output) => assay(['question_router', '--input-path', input, '--output-dir', output, '--quiet']));

export async function startup(report) {
  const version = best(20, () => assay(['--version']));
  report.figure('`assay --version`', `${(version.wall * 1000).toFixed(1)} ms`, '≤ 10 ms');
  const input = await lines(scratch, 'ten.jsonl', 10, answered);
  const ten = best(5, () => inDirectory((output) => assay(judgedArguments({ input, output, inFlight: 64, model: 'sim/judge' }))));
  report.figure('`rag_answers` on 10 cases, built-in model', `${(ten.wall * 1000).toFixed(0)} ms`, '≤ 100 ms plus the model');
}

export async function memory(report) {
  for (const count of [10000, 1000000]) {
    const run = routedRun(await lines(scratch, `routes-${count}.jsonl`, count, routed));
    report.figure(`memory, \`question_router\`, ${whole(count)} lines`, `${run.megabytes.toFixed(0)} MB`, 'flat, ≤ 150 MB');
  }
  for (const count of [10000, Number(process.env.ASSAY_BENCH_JUDGED ?? 1000000)]) {
    const run = judgedRun({ input: await lines(scratch, `answers-${count}.jsonl`, count, answered), inFlight: 64, model: 'sim/judge' });
    report.figure(`memory, \`rag_answers\` judged by the built-in model, ${whole(count)} cases`, `${run.megabytes.toFixed(0)} MB (${whole(count / run.wall)} cases/s)`, 'flat, ≤ 150 MB');
  }
}

export async function throughput(report) {
  const input = await lines(scratch, 'routes-1000000.jsonl', 1000000, routed);
  const run = best(3, () => routedRun(input));
  report.figure('JSONL classification, 1,000,000 lines, all files written',
    `${(statSync(input).size / run.wall / 1e9).toFixed(2)} GB/s of wall time, ${(statSync(input).size / run.cpu / 1e9).toFixed(2)} GB/s of CPU time (${run.wall.toFixed(2)} s, ${run.cpu.toFixed(2)} s CPU, ${(1 / run.wall).toFixed(2)} M lines/s)`, '≥ 0.5 GB/s a core');
}

// A declared evaluation that asks nobody: two variants whose answers stand in the data, five checks.
export async function custom(report) {
  const count = 100000;
  const input = await lines(scratch, `said-${count}.jsonl`, count, said);
  const config = join(scratch, 'custom.yaml');
  writeFileSync(config, `evaluation: custom
input_path: ${input}
variants: {old: {given: old}, new: {given: new}}
metrics:
  - {name: says_it, contains: "{reference}", ignore_case: true}
  - {name: same, equals: "{reference}"}
  - {name: number, regex: "[0-9]+ days"}
  - {name: short, words: {max: 40}}
  - {name: overlap, token_f1: "{reference}"}
`);
  const run = best(3, () => inDirectory((output) => assay(['run', config, '--output-dir', output, '--quiet'])));
  report.figure(`\`custom\`, ${whole(count)} cases × 2 variants × 5 checks, comparisons and all files`,
    `${run.wall.toFixed(1)} s, ${run.cpu.toFixed(1)} s CPU (${whole(count * 10 / run.wall)} checks/s), ${run.megabytes.toFixed(0)} MB`, '≤ 150 MB');
}

// What comes behind the last answer, against all that comes before it: the last commit is the first thing that
// collecting does, and the seal the last.
export async function end(report) {
  const count = Number(process.env.ASSAY_BENCH_JUDGED ?? 200000);
  const input = await lines(scratch, `clustered-${count}.jsonl`, count, (i) => ({ ...answered(i), document: `d${Math.floor(i / 5)}` }));
  for (const [words, more] of [['', []], [`, in ${whole(count / 5)} clusters`, ['--cluster', 'document']]]) {
    inDirectory((output) => {
      const run = assay([...judgedArguments({ input, output, inFlight: 64, model: 'sim/judge' }), ...more]);
      const written = (name) => statSync(join(output, name)).mtimeMs / 1000;
      report.figure(`the end of a run of ${whole(count)} judged cases${words}`,
        `${(written('seal.sha256') - written('run.db.head')).toFixed(1)} s of ${run.wall.toFixed(1)} s, ${run.megabytes.toFixed(0)} MB`, 'below the run itself, ≤ 150 MB');
    });
  }
}
