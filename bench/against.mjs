// Judged cases with this program and with another tool, in turns, against the same endpoint on the same machine: one judge
// call a case, the same number in flight, all results written.
import { against } from './endpoint.mjs';
import { answered, lines } from './inputs.mjs';
import { judgedRun, quickest, rounds, scratch } from './program.mjs';
import { promptfoo } from './promptfoo.mjs';
import { Report, whole } from './report.mjs';

const tools = { promptfoo };
const kInFlight = 64;
const kRounds = rounds(2);

const [name, ...given] = process.argv.slice(2);
const counts = given.length > 0 ? given.map(Number) : [1000, 10000];
if (!(name in tools) || counts.some((count) => !Number.isSafeInteger(count) || count < 1)) {
  console.error(`bench/against ${Object.keys(tools).join('|')} [CASES]...`);
  process.exit(2);
}

let other;
try {
  other = tools[name]();
} catch (error) {
  console.error(`${name} cannot be installed, so there is nothing to compare with: ${error.message}`);
  process.exit(1);
}

const report = new Report();
const cells = ({ wall, cpu, megabytes, count }) => [`${wall.toFixed(2)} s`, `${cpu.toFixed(2)} s`, `${(cpu / count * 1e6).toFixed(0)} µs`, `${whole(count / wall)}`, `${megabytes.toFixed(0)} MB`];
for (const count of counts) {
  const input = await lines(scratch, `judged-${count}.jsonl`, count, answered);
  const ours = [];
  const theirs = [];
  for (let round = 0; round < kRounds; ++round) {
    ours.push({ count, ...await against(0, count, ({ env }) => judgedRun({ input, inFlight: kInFlight }, env)) });
    theirs.push({ count, ...await against(0, count, ({ url }) => other.run({ url, count, inFlight: kInFlight })) });
    console.log(`round ${round + 1}, ${whole(count)} cases: assay ${ours.at(-1).wall.toFixed(2)} s, ${name} ${theirs.at(-1).wall.toFixed(2)} s`);
  }
  const [a, b] = [quickest(ours), quickest(theirs)];
  const times = (of) => `${(of(b) / of(a)).toFixed(1)} ×`;
  report.table(`${whole(count)} judged cases, ${kInFlight} in flight, instant endpoint; the best of ${kRounds} rounds each, in turns`,
    ['', 'wall', 'CPU', 'CPU a case', 'cases/s', 'peak memory'],
    [['assay', ...cells(a)], [other.label, ...cells(b)],
      ['ratio', times(({ wall }) => wall), times(({ cpu }) => cpu), times(({ cpu }) => cpu), times(({ wall }) => wall), times(({ megabytes }) => megabytes)]]);
}
report.end();
