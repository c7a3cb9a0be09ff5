// What the benchmarks found, as Markdown that docs/performance.md can take over, on the screen as soon as it is known.
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

export const whole = (value) => Math.round(value).toLocaleString('en');
export const microseconds = (seconds) => `${(seconds * 1e6).toFixed(1)} µs`;
export const percent = (share) => `${(100 * share).toFixed(0)} %`;

// The machine that the figures are of; lscpu, since a virtual machine often has no more of a name than its vendor.
export function machine() {
  const field = (name) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(lscpu)?.[1] ?? '?';
  let lscpu = '';
  try { lscpu = execFileSync('lscpu', { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }); } catch { /* then without */ }
  const model = lscpu ? `${field('Model name')} (family ${field('CPU family')}, model ${field('Model')}, ${field('Hypervisor vendor')})` : cpus()[0].model;
  return `${cpus().length} × ${model}, ${(totalmem() / 2 ** 30).toFixed(0)} GB, Linux ${release()}`;
}

const row = (cells) => `| ${cells.join(' | ')} |`;

// Other work on the same cores makes every time too long, and a share of the ideal too low: it is told with the figures.
const kQuiet = 0.5;
function otherWork(load) {
  return load > kQuiet ? ` Other work went on when it began (load average ${load.toFixed(1)}): times are too long, and not to be quoted.` : '';
}

export class Report {
  #figures = [];
  #load = loadavg()[0];

  // A figure beside its goal; all of them stand in one table at the end.
  figure(what, measured, goal = '') {
    this.#figures.push([what, measured, goal]);
    console.log(`${what}: ${measured}${goal ? ` (goal ${goal})` : ''}`);
  }

  table(title, columns, rows) {
    console.log(`\n**${title}**\n\n${[columns, columns.map(() => '---'), ...rows].map(row).join('\n')}\n`);
  }

  end() {
    console.log(`\nOn ${machine()}; endpoint and program share the cores.${otherWork(this.#load)}`);
    if (this.#figures.length > 0) this.table('All figures', ['what', 'measured', 'goal'], this.#figures);
  }
}
