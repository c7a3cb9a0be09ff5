// Judged cases against an instant endpoint: what a call costs beside bare libcurl, and whether all cores work. Program and
// floor alternate; the figures are those of the round in which the program was quickest, its floor of the same round.
import { cpus } from 'node:os';
import { against, floor } from './endpoint.mjs';
import { answered, lines } from './inputs.mjs';
import { judgedRun, quickest, rounds, scratch, threadChoices } from './program.mjs';
import { microseconds, whole } from './report.mjs';

const kCases = 20000;
const kInFlight = 64;
const kRounds = rounds(3);
const judgings = [{ metric: 'coherence', calls: 1 }, { metric: 'relevance', calls: 2 }];

async function round(input, { metric, calls }, threads) {
  const total = kCases * calls;
  const run = await against(0, total, ({ env }) => judgedRun({ input, inFlight: kInFlight, metric, threads }, env));
  const bare = await floor(total, kInFlight, run.endpoint.body_bytes / total);
  return { ...run, bare, ratio: run.cpu / bare.cpu };
}

export async function judged(report) {
  const input = await lines(scratch, 'judged.jsonl', kCases, answered);
  const rows = [];
  for (const judging of judgings) {
    for (const threads of await threadChoices([...new Set([1, cpus().length])])) {
      const taken = [];
      for (let i = 0; i < kRounds; ++i) taken.push(await round(input, judging, threads));
      const run = quickest(taken);
      const total = kCases * judging.calls;
      const ratios = taken.map(({ ratio }) => ratio).sort((a, b) => a - b);
      rows.push([judging.calls, threads ?? 'its own choice', whole(kCases / run.wall), whole(total / run.wall), microseconds(run.cpu / total),
        microseconds(run.bare.cpu / total), `${run.ratio.toFixed(2)} (${ratios[0].toFixed(2)} to ${ratios.at(-1).toFixed(2)})`,
        (run.wall / run.cpu).toFixed(2), whole(run.journal / kCases), microseconds(run.endpoint.cpu_seconds / total)]);
      console.log(`judged: ${judging.metric}, ${threads ?? 'its own'} threads: ${run.wall.toFixed(2)} s`);
    }
  }
  report.table(`Judged cases, instant endpoint on the same cores, ${kInFlight} in flight, ${whole(kCases)} cases; goals: ≤ 2 × libcurl, wall ≤ 0.6 × CPU on two cores, ≤ 2,000 bytes a case with one call`,
    ['calls a case', 'threads', 'cases/s', 'calls/s', 'CPU a call', 'libcurl alone', '× libcurl (all rounds)', 'wall ÷ CPU', 'journal bytes a case', 'endpoint, a request'], rows);
}
