// Kills runs of every evaluation before changes to the disk that a seed draws, several times each, finishes them and
// holds them against undisturbed ones: nothing that was answered and kept is asked again, the results are the same, and
// `assay verify` passes. ASSAY_SEED repeats a draw, ASSAY_KILLS says how many.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assay, seeded, simulator } from '../tests/system/harness.mjs';
import { root } from './program.mjs';
import { changesOf, killedAt, killer, mostOpen, results } from '../tests/system/kills.mjs';

const kAtOnce = 8;
const evaluations = {
  rag_answers: 'components/rag_answers.yaml',
  question_router: 'components/question_router_generate_model.yaml',
  jailbreak_guardrails: 'components/jailbreak_generate_model.yaml',
  output_guardrails: 'components/output_guardrails_generate_model.yaml',
  topic_tagger: 'components/topic_tagger_generate_model.yaml',
  retrieval: 'components/targets/retrieval_command.yaml',
  guidelines: 'guidelines/guidelines.yaml',
  persona: 'persona/persona_mode2.yaml',
  experiment: 'experiment/experiment_from_files.yaml',
  benchmark: 'benchmark/benchmark.yaml',
  custom: 'custom/support_bot.yaml',
};

export async function kills(scratch, report) {
  const wanted = Number(process.env.ASSAY_KILLS ?? 240);
  const ends = [];
  const t = { name: 'kills', after: (end) => ends.push(end), diagnostic: (text) => console.log(text) };
  const random = seeded(t);
  const demo = join(scratch, 'kills');
  await assay(['demo', '--directory', demo]);
  // With the programs that some of the examples run, which a demonstration does without.
  cpSync(join(root, 'examples'), join(demo, 'examples'), { recursive: true });
  const library = killer(scratch);
  const total = { kills: 0, runs: 0, answers: 0, again: 0 };
  try {
    const sim = await simulator(t, ['--latency', '2ms', '--latency-spread', '2ms']);
    const options = { cwd: demo, env: sim.env };
    const names = Object.keys(evaluations);
    for (const [position, name] of names.entries()) {
      // The built-in models, asked over HTTP, so that requests can be counted; checks of what was measured differ each time.
      const config = join(demo, 'examples', evaluations[name]);
      writeFileSync(config, readFileSync(config, 'utf8').replaceAll('sim/', 'openai/').replaceAll('provider: sim', 'provider: openai').replace(/^ *- \{name: \w+, +latency: .*\n/gm, ''));
      const args = (output) => ['run', config, '--output-dir', output, '--limits.concurrency', String(kAtOnce)];
      const whole = join(demo, `${name}-whole`);
      const changes = await changesOf(library, args(whole), options);
      const expected = results(whole);
      const share = Math.ceil(wanted * (position + 1) / names.length);
      for (let round = 0; total.kills < share; ++round) {
        const output = join(demo, `${name}-${round}`);
        await sim.reset();
        const moments = Array.from({ length: random.between(1, 4) }, () => random.between(1, changes));
        const run = await killedAt(library, args(output), output, moments, options);
        const sent = await sim.sent();
        // Of what was sent, that which no answer in the journal came from: open when the run was killed.
        const again = Math.max(0, sent - run.answers);
        assert.ok(again <= run.kills * mostOpen(kAtOnce), `${name}, moments ${moments}: ${sent} requests for ${run.answers} answers, ${run.kills} kills`);
        assert.deepEqual(results(output), expected, `${name}, moments ${moments}: other results`);
        total.kills += run.kills;
        total.runs += 1;
        total.answers += run.answers;
        total.again += again;
        rmSync(output, { recursive: true });
      }
    }
  } finally {
    for (const end of ends) await end();
  }
  report('kills before a change to the disk, over all evaluations', `${total.kills} in ${total.runs} runs, ${total.answers} answers`, '≥ 200');
  report('kept answers that were lost or asked again', '0', '0');
  report('requests that were in flight or not yet durable at a kill and asked again', String(total.again), `≤ ${mostOpen(kAtOnce)} a kill`);
  report('runs with other results than undisturbed, or that do not verify', '0', '0');
}
