// The benchmarks of docs/performance.md: all of them, or those that are named. Machines are noisy: each figure is the
// best of a few runs, and ratios are taken within one run.
import { batchKills } from './batch_kills.mjs';
import { judged } from './judged.mjs';
import { latency } from './latency.mjs';
import { custom, end, memory, startup, throughput } from './footprint.mjs';
import { faults } from './faults.mjs';
import { kills } from './kills.mjs';
import { page } from './page.mjs';
import { scratch } from './program.mjs';
import { size } from './size.mjs';
import { workers } from './workers.mjs';
import { Report } from './report.mjs';

const figures = (bench) => (report) => bench(scratch, (...figure) => report.figure(...figure));
const benches = { startup, judged, latency, memory, throughput, custom, end, page, workers, size, kills: figures(kills), batch_kills: figures(batchKills), faults: figures(faults) };

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in benches));
if (unknown.length > 0) {
  console.error(`there is no benchmark ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
const report = new Report();
for (const [name, bench] of Object.entries(benches)) if (chosen.length === 0 || chosen.includes(name)) await bench(report);
report.end();
