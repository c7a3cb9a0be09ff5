// How near the program comes to the ideal, N · latency / in flight, over threads, requests in flight and the latency of the
// endpoint. N is chosen so that a cell takes some seconds.
import { against } from './endpoint.mjs';
import { answered, lines } from './inputs.mjs';
import { judgedRun, quickest, rounds, scratch, threadChoices } from './program.mjs';
import { microseconds, percent, whole } from './report.mjs';

const kSeconds = 5;
const kRounds = rounds(2);
const kLatencies = [0, 50, 500];
const kInFlight = [1, 50, 500, 5000];
// Cases a second to reckon with where the latency does not decide: one at a time each waits for the disk.
const ceiling = (inFlight) => (inFlight === 1 ? 800 : 10000);

function casesFor(inFlight, latency) {
  const ideal = latency === 0 ? Infinity : inFlight / latency * 1000;
  return Math.max(2, Math.round(kSeconds * Math.min(ideal, ceiling(inFlight))));
}

async function cell(threads, inFlight, latency) {
  const count = casesFor(inFlight, latency);
  const input = await lines(scratch, `judged-${count}.jsonl`, count, answered);
  const taken = [];
  for (let i = 0; i < kRounds; ++i) taken.push(await against(latency, count, ({ env }) => judgedRun({ input, inFlight, threads }, env)));
  const run = quickest(taken);
  const rate = `${whole(count / run.wall)}/s, ${microseconds(run.cpu / count)}`;
  const text = latency === 0 ? rate : `${percent(count * latency / 1000 / inFlight / run.wall)} (${rate})`;
  console.log(`latency: ${threads ?? 'its own'} threads, ${inFlight} in flight, ${latency} ms, ${count} cases: ${text}, ${run.wall.toFixed(2)} s, ${run.megabytes.toFixed(0)} MB, endpoint ${run.endpoint.cpu_seconds.toFixed(2)} s`);
  return text;
}

export async function latency(report) {
  const rows = [];
  for (const threads of await threadChoices([1, 2])) {
    for (const inFlight of kInFlight) {
      const cells = [];
      for (const each of kLatencies) cells.push(await cell(threads, inFlight, each));
      rows.push([threads ?? 'its own choice', whole(inFlight), ...cells]);
    }
  }
  report.table('Share of the ideal (cases/s, CPU a case), one call a case; goals: ≥ 95 % at 50 ms × 500 and at 500 ms × 5,000',
    ['threads', 'in flight', ...kLatencies.map((each) => (each === 0 ? '0 ms' : `${each} ms`))], rows);
}
