// Two runs, paired by case, and the statistics on any table.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { assay, root, scratch, simulator, write, writeLines } from './harness.mjs';

const near = (found, expected, tolerance = 1e-6) => assert.ok(Math.abs(found - expected) <= tolerance, `${found}, expected ${expected}`);

// A run of question_router whose cases are right or wrong as `right` says.
async function routed(directory, name, right, { ids = right.map((_, i) => `q${i}`), more = () => ({}), config = {} } = {}) {
  const lines = right.map((one, i) => ({ id: ids[i], question: `Question ${ids[i]}?`, expected_outcome: 'a', actual_outcome: one ? 'a' : 'b', ...more(i) }));
  writeLines(join(directory, `${name}.jsonl`), lines);
  write(join(directory, `${name}.yaml`), JSON.stringify({ evaluation: 'question_router', input_path: `${name}.jsonl`, ...config }));
  const run = await assay(['run', `${name}.yaml`, '--output-dir', name], { cwd: directory });
  assert.equal(run.code, 0, run.stderr);
  return name;
}

const compare = async (directory, ...args) => assay(['compare', ...args], { cwd: directory });
const flags = (text) => [...text].map(Number);

test('the worked example of the page comes out as the page says', async (t) => {
  const directory = scratch(t);
  await routed(directory, 'base', flags('100110010101'));
  await routed(directory, 'new', flags('110110110111'));
  const run = await compare(directory, 'base', 'new', '--format', 'json');
  assert.equal(run.code, 0, run.stderr);
  const [accuracy] = JSON.parse(run.stdout).metrics;
  assert.equal(accuracy.metric, 'accuracy');
  near(accuracy.difference.value, 0.25);
  near(accuracy.difference.ci[0], 0.25 - 2.200985 * 0.1305582);
  assert.deepEqual([accuracy.rose, accuracy.fell, accuracy.equal, accuracy.change], [3, 0, 9, 'undecided']);
  const words = await compare(directory, 'base', 'new');
  assert.match(words.stdout, /accuracy changed by \+25\.0% .* n = 12\): these cases do not tell the two runs apart/);
});

test('a regression fails the command only when it is asked to and beyond the margin', async (t) => {
  const directory = scratch(t);
  await routed(directory, 'base', Array.from({ length: 40 }, (_, i) => (i === 3 ? 0 : 1)));
  await routed(directory, 'new', Array.from({ length: 40 }, (_, i) => i % 2));
  assert.equal((await compare(directory, 'base', 'new')).code, 0);
  const failed = await compare(directory, 'base', 'new', '--fail-on-regression');
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /the new run is worse/);
  const open = await compare(directory, 'base', 'new', '--fail-on-regression', '--margin', '0.45');
  assert.equal(open.code, 0);
  assert.match(open.stderr, /undecided/);
  const allowed = await compare(directory, 'base', 'new', '--fail-on-regression', '--margin', '0.9');
  assert.equal(allowed.code, 0);
  assert.equal(allowed.stderr, '');
  assert.equal((await compare(directory, 'new', 'base', '--fail-on-regression')).code, 0, 'better is no regression');
  const junit = await compare(directory, 'base', 'new', '--format', 'junit');
  assert.match(junit.stdout, /<failure type="regression"/);
});

test('cases that fail now are the headline, by name, and a regression', async (t) => {
  const directory = scratch(t);
  const tagged = async (name, failing) => {
    writeLines(join(directory, `${name}.jsonl`), Array.from({ length: 12 }, (_, i) => ({ id: `q${i}`, question: `Question ${i}?`, expected_primary_topic: 'tax', actual_primary_topic: 'tax', ...(failing.includes(i) ? { status: 'error', error_message: 'timed out' } : {}) })));
    const run = await assay(['topic_tagger', '--input-path', `${name}.jsonl`, '--output-dir', name], { cwd: directory });
    assert.equal(run.code, failing.length > 0 ? 3 : 0, run.stderr);
  };
  await tagged('base', []);
  await tagged('new', [2, 5, 6, 11]);
  await tagged('dead', Array.from({ length: 12 }, (_, i) => i));
  const words = await compare(directory, 'base', 'new', '--fail-on-regression');
  assert.equal(words.code, 1);
  assert.match(words.stdout, /^## [^\n]*\n\n\*\*Regression: 4 cases that were scored in base fail in new \(target failed 4\): q2, q5, q6, q11\.\*\*/);
  assert.ok(!words.stdout.includes('the same on every paired case'));
  const found = JSON.parse((await compare(directory, 'base', 'new', '--format', 'json')).stdout);
  assert.equal(found.regression, true);
  assert.deepEqual(found.new_failures[0], { id: 'q2', outcome: 'target_failed', error: 'the tagger reports an error: timed out' });
  const [failed, first] = found.metrics;
  assert.deepEqual([failed.metric, failed.new, failed.rose, failed.regression, typeof failed.p_holm], ['failed.rate', 4 / 12, 4, true, 'number']);
  assert.deepEqual([first.change, first.unpaired, first.difference.missing], ['same', 4, { new_target_failed: 4 }]);
  near(first.difference.bounds[0], -4 / 12);
  assert.equal((await compare(directory, 'base', 'dead', '--fail-on-regression')).code, 1, 'a run without any score is compared too');
  assert.equal((await compare(directory, 'new', 'base', '--fail-on-regression')).code, 0, 'and mended is no regression');
});

test('another judge or other metrics are the first line, and never a regression', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 8 }, (_, i) => ({ id: `q${i}`, question: `May I build shed ${i}?`, llm_answer: `Yes, ${i + 2} metres high.` })));
  const judged = async (name, config) => {
    write(join(directory, `${name}.yaml`), JSON.stringify({ evaluation: 'rag_answers', input_path: 'data.jsonl', judge: 'sim/judge', n_runs: 1, ...config }));
    const run = await assay(['run', `${name}.yaml`, '--output-dir', name], { cwd: directory });
    assert.equal(run.code, 0, run.stderr);
  };
  await judged('base', { metrics: [{ name: 'coherence', threshold: 0 }, 'relevance'] });
  await judged('again', { metrics: ['relevance', { name: 'coherence', threshold: 0 }] });
  await judged('strict', { metrics: [{ name: 'coherence', threshold: 1 }, 'relevance'] });
  await judged('other', { judge: 'mine', models: { mine: { provider: 'sim', name: 'judge', temperature: 1 } }, metrics: [{ name: 'coherence', threshold: 0 }, 'relevance'] });
  for (const [name, what] of [['strict', /metrics\.coherence\.threshold: 0 → 1/], ['other', /judge\.model: "sim\/judge" → "mine"/]]) {
    const words = await compare(directory, 'base', name, '--fail-on-regression');
    assert.equal(words.code, 0);
    assert.match(words.stdout, /^## [^\n]*\n\n\*\*The two runs are judged differently/);
    assert.ok(!/Regression/.test(words.stdout), words.stdout);
    assert.match(words.stderr, /judged differently/);
    const found = JSON.parse((await compare(directory, 'base', name, '--format', 'json')).stdout);
    assert.match(found.judged_differently.join(), what);
    assert.ok(found.metrics.every(({ change, regression }) => change === 'not_comparable' && !regression));
  }
  // The same answers with another judge, as one command: agreement, shift, flips with both reasons, cost.
  const scored = await assay(['score', 'base', '--judge', 'sim/stranger', '-o', 'scored'], { cwd: directory });
  assert.equal(scored.code, 0, scored.stderr);
  assert.match(scored.stdout, /against base:\n +Coherence · mean: the judges agree on \d of 8 cases[\s\S]*New sent \d+ requests? for \$0; base/);
  const { judges } = JSON.parse((await compare(directory, 'base', 'scored', '--format', 'json')).stdout);
  assert.deepEqual([judges.same_answers, judges.other_answers, judges.answers_known], [8, 0, true]);
  assert.deepEqual(judges.metrics.map(({ metric }) => metric), ['coherence.mean', 'relevance.mean']);
  assert.ok(judges.flips.every((flip) => Math.abs(flip.new - flip.base) >= 0.5 && (flip.metric !== 'coherence.mean' || (flip.base_reason && flip.new_reason))));
  await judged('often', { n_runs: 2, metrics: [{ name: 'coherence', threshold: 0 }, 'relevance'] });
  const planned = await assay(['plan', 'often.yaml', '--pilot', 'often', '--width', '0.1', '--format', 'json'], { cwd: directory });
  assert.equal(planned.code, 0, planned.stderr);
  const plan = JSON.parse(planned.stdout);
  assert.match(plan.sentences[0], /^\d votes? of 1 judge on 1 answer of each of \d+ cases reach ±0\.\d+ for \$0 \(\d+ requests\)/);
  assert.deepEqual([plan.figure, plan.pilot.cases, plan.pilot.votes, plan.variance.answer.value], ['coherence.mean', 8, 2, null]);
  assert.ok(plan.designs.every(({ half_width }) => half_width <= 0.1));
  assert.match(JSON.parse((await compare(directory, 'base', 'often', '--format', 'json')).stdout).judged_differently.join(), /n_runs: 1 → 2/);
  const same = JSON.parse((await compare(directory, 'base', 'again', '--format', 'json')).stdout);
  assert.deepEqual([same.judged_differently, same.conclusions], [[], ['The runs are the same on every paired case.']], 'the order of the metrics is no difference');
});

test('what a case must pass is the judge\'s side, too: another choice is no regression of the target', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 20 }, (_, i) => ({ id: `c${i}`, question: 'What?', output: `Answer ${i}` })));
  const run = async (name, passes) => {
    write(join(directory, `${name}.yaml`), `evaluation: custom\ninput_path: data.jsonl\nmetrics:\n  - {name: says, contains: Answer}\n  - {name: has, contains: "3"}\ncase_passes: ${passes}\n`);
    const made = await assay(['run', `${name}.yaml`, '-o', name, '--quiet'], { cwd: directory });
    assert.equal(made.code, 0, made.stderr);
  };
  await run('one', '[says]');
  await run('both', '[says, has]');
  await run('turned', '[has, says]');
  const harder = await compare(directory, 'one', 'both', '--fail-on-regression');
  assert.equal(harder.code, 0, harder.stdout);
  assert.match(harder.stdout, /judged differently \(case\\?_passes: /);
  assert.ok(!/Regression|that passed in base/.test(harder.stdout), harder.stdout);
  assert.ok(!/judged differently/.test((await compare(directory, 'both', 'turned')).stdout));
});

test('a program that scores, and people that a cascade goes by, are the judge\'s side, whatever their files are called', async (t) => {
  const directory = scratch(t);
  const good = (i) => (i * 7) % 10 < 6;
  writeLines(join(directory, 'data.jsonl'), Array.from({ length: 120 }, (_, i) => ({ id: `c${i}`, question: `How high may shed ${i} be?`, output: good(i) ? `Shed ${i} may be two metres high, with a permit.` : `Nobody knows that of number ${i}.` })));
  const run = async (name, config) => {
    write(join(directory, 'eval.yaml'), JSON.stringify({ evaluation: 'custom', input_path: 'data.jsonl', ...config }));
    const made = await assay(['run', 'eval.yaml', '-o', name, '--quiet'], { cwd: directory });
    assert.equal(made.code, 0, made.stderr);
  };
  const said = async (base, fresh, what) => {
    const words = await compare(directory, base, fresh, '--fail-on-regression');
    assert.equal(words.code, 0, words.stdout);
    assert.match(words.stdout, /^## [^\n]*\n\n\*\*The two runs are judged differently/);
    assert.doesNotMatch(words.stdout, /Regression|that passed in base/);
    assert.match(JSON.parse((await compare(directory, base, fresh, '--format', 'json')).stdout).judged_differently.join(), what);
  };
  const scorer = (wanted) => write(join(directory, 'score.sh'), `while read -r line; do
  id=\${line#*'"id":'}; id=\${id%%,*}
  case "$line" in *"${wanted}"*) echo "{\\"id\\": $id, \\"score\\": 1}";; *) echo "{\\"id\\": $id, \\"score\\": 0}";; esac
done
`);
  const program = { metrics: [{ name: 'said', program: ['bash', 'score.sh'], passes: '>= 0.5' }] };
  scorer('Shed');
  await run('lenient', program);
  await run('again', program);
  scorer('Shed 1');
  await run('strict', program);
  await said('lenient', 'strict', /metrics\/said\/program\/files: the program differs/);
  assert.deepEqual(JSON.parse((await compare(directory, 'lenient', 'again', '--format', 'json')).stdout).judged_differently, []);
  // The labels keep their path; with others the judge may decide with fewer votes, or only with all.
  const labels = (wrong) => write(join(directory, 'labels.csv'), `id,label\n${Array.from({ length: 120 }, (_, i) => `c${i},${good(i) !== (i < wrong) ? 1 : 0}`).join('\n')}\n`);
  const cascade = { seed: 4, judge: { cascade: ['sim/cheap?noise=0.05', 'people'], labels: 'labels.csv' }, metrics: [{ name: 'permit', rubric: 'two metres high permit' }] };
  labels(0);
  await run('first', cascade);
  await run('same', cascade);
  labels(4);
  await run('relabelled', cascade);
  await said('first', 'relabelled', /judge\/labels: what people say differs/);
  const [was, is] = ['first', 'relabelled'].map((name) => JSON.parse(readFileSync(join(directory, name, 'summary.json'), 'utf8')).metrics['cascade.threshold.sim_cheap_noise_0_05'].value);
  if (was !== is) await said('first', 'relabelled', /cascade\.threshold\.sim_cheap_noise_0_05: /);
  assert.deepEqual(JSON.parse((await compare(directory, 'first', 'same', '--format', 'json')).stdout).judged_differently, []);
});

test('a benchmark whose program scores otherwise is judged differently, and no system did worse', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'tasks'));
  write(join(directory, 'tasks/city.yaml'), 'tool_calling_prompt: Name the capital.\nscorer: {name: command, command: [./score.sh]}\nvariations:\n  - {expected_output: Paris}\n  - {expected_output: Rome}\n');
  write(join(directory, 'eval.yaml'), 'evaluation: benchmark\ninput_dir: tasks\nsystem: tool_calling\nmodel: openai/agent\n');
  write(join(directory, 'script.jsonl'), `${JSON.stringify({ reply: { text: '```json\n"Paris"\n```' } })}\n`);
  const sim = await simulator(t, ['--script', join(directory, 'script.jsonl')]);
  const run = async (name, score, ...flags) => {
    write(join(directory, 'tasks/score.sh'), `#!/bin/bash\necho ${score}\n`);
    chmodSync(join(directory, 'tasks/score.sh'), 0o755);
    const made = await assay(['run', 'eval.yaml', '-o', name, '--quiet', ...flags], { cwd: directory, env: sim.env });
    assert.equal(made.code, 0, made.stderr);
  };
  await run('lenient', 1);
  await run('again', 1);
  await run('strict', 0);
  const differently = async (base, fresh) => JSON.parse((await compare(directory, base, fresh, '--format', 'json')).stdout).judged_differently;
  assert.deepEqual(await differently('lenient', 'again'), []);
  assert.deepEqual(await differently('lenient', 'strict'), ['scorers/city/program/files: the program differs']);
  const words = await compare(directory, 'lenient', 'strict', '--fail-on-regression');
  assert.equal(words.code, 0, words.stdout);
  assert.match(words.stdout, /^## [^\n]*\n\n\*\*The two runs are judged differently/);
  // It is one run all the same: a program that was mended scores what is there.
  await run('lenient', 0.5);
  assert.equal(JSON.parse(readFileSync(join(directory, 'lenient/summary.json'), 'utf8')).metrics['score.mean'].value, 0.5);
});

test('another judge scores the answers of an experiment and of personas under one flag, and nobody writes anew', async (t) => {
  const directory = scratch(t);
  const sim = await simulator(t);
  const examples = join(root, 'examples');
  write(join(directory, 'experiment.yaml'), `evaluation: experiment\nqueries: ${examples}/experiment/queries/small.yaml\nlimit: 2\nconditions: [{name: tone, prompt: ${examples}/experiment/prompts/t3.txt, reports_role: true}, {name: control}]\nmodel: openai/writer\nabsolute: {evaluators: 2, model: openai/judge}\n`);
  write(join(directory, 'persona.yaml'), `evaluation: persona\nitems: ${examples}/persona/items.jsonl\nlimit: 2\npersona: [${examples}/persona/personas/ines.json]\nperspectives: [{id: classification, name: Classification, text: "Is it right?"}]\nmodel: openai/judge\n`);
  for (const [name, judged] of [['experiment', 2 * 2 * 2 + 2 * 2], ['persona', 2]]) {
    const options = { cwd: directory, env: sim.env };
    assert.equal((await assay(['run', `${name}.yaml`, '-o', name, '--quiet'], options)).code, 0);
    await sim.reset();
    const scored = await assay(['score', name, '--judge', 'openai/other', '-o', `${name}-other`], options);
    assert.equal(scored.code, 0, scored.stderr);
    assert.equal(await sim.sent(), judged, `${name}: every judgement and no answer`);
    assert.match((await compare(directory, name, `${name}-other`)).stdout, /judged differently/);
  }
});

test('an answer that an experiment could not get stays missing when its answers are judged anew', async (t) => {
  const directory = scratch(t);
  const small = await simulator(t, ['--context-window', '2000']);
  write(join(directory, 'kind.txt'), 'Be kind.');
  write(join(directory, 'queries.json'), JSON.stringify([{ id: 'short', text: 'How do I plan a week?' }, { id: 'long', text: 'How do I plan a long week? '.repeat(600) }]));
  write(join(directory, 'experiment.yaml'), 'evaluation: experiment\nqueries: queries.json\nconditions: [{name: plain}, {name: control, prompt: kind.txt}]\nmodel: openai/writer\nabsolute: {evaluators: 2, model: openai/judge}\n');
  const first = await assay(['run', 'experiment.yaml', '-o', 'first', '--quiet'], { cwd: directory, env: small.env });
  assert.equal(first.code, 3, first.stderr);
  const large = await simulator(t);
  const scored = await assay(['score', 'first', '--judge', 'openai/other', '-o', 'scored'], { cwd: directory, env: large.env });
  assert.equal(scored.code, 3, scored.stderr);
  assert.equal(await large.sent(), 2 * 2, 'two evaluators of two answers to the one query, and nobody under test');
  assert.match(readFileSync(join(directory, 'scored', 'results.jsonl'), 'utf8'), /no answer among the responses/);
});

test('a baseline stays when its run is gone, and says what is wrong with it', async (t) => {
  const directory = scratch(t);
  await routed(directory, 'base', Array.from({ length: 40 }, (_, i) => (i === 3 ? 0 : 1)));
  await routed(directory, 'new', Array.from({ length: 40 }, (_, i) => i % 2));
  const baseline = (...args) => assay(['baseline', ...args], { cwd: directory });
  const set = await baseline('set', 'main', 'base/');
  assert.equal(set.code, 0, set.stderr);
  assert.match(set.stdout, /main: run \S+ of question_router, 40 cases\nwrote baselines\/main\.jsonl/);
  const direct = JSON.parse((await compare(directory, 'base', 'new', '--format', 'json')).stdout);
  rmSync(join(directory, 'base'), { recursive: true });
  const failed = await compare(directory, 'baseline:main', 'new', '--fail-on-regression', '--format', 'json');
  assert.equal(failed.code, 1, failed.stderr);
  assert.deepEqual({ ...JSON.parse(failed.stdout), base: 'base' }, direct, 'the same in every figure, difference and case');
  assert.equal((await compare(directory, 'new', 'baseline:main', '--fail-on-regression')).code, 0);

  const [listed] = JSON.parse((await baseline('list', '--format', 'json')).stdout);
  assert.deepEqual([listed.name, listed.evaluation, listed.cases, listed.metrics.accuracy.value], ['main', 'question_router', 40, 0.975]);
  assert.match((await baseline('show', 'main')).stdout, /accuracy +97\.5%/);
  assert.deepEqual(JSON.parse((await assay(['runs', '.', '--format', 'json'], { cwd: directory })).stdout).map((run) => run.directory), ['./new'], 'no run, so that it is not pruned');

  const file = join(directory, 'baselines/main.jsonl');
  const whole = readFileSync(file, 'utf8');
  write(file, whole.split('\n').slice(0, 20).join('\n'));
  assert.match((await compare(directory, 'baseline:main', 'new')).stderr, /main\.jsonl: found 19 cases, expected 40/);
  write(file, 'mine\n');
  const kept = await baseline('set', 'main', 'new');
  assert.equal(kept.code, 2);
  assert.match(kept.stderr, /this is no baseline/);
  assert.equal(readFileSync(file, 'utf8'), 'mine\n');
  write(file, whole);
  assert.match((await baseline('set', 'main', 'new')).stdout, /in the place of run/);
  write(join(directory, 'new/results.jsonl'), readFileSync(join(directory, 'new/results.jsonl'), 'utf8').replace('"accuracy":1', '"accuracy":0'));
  assert.match((await baseline('set', 'main', 'new')).stderr, /results\.jsonl was changed .*assay verify new/);
  for (const [words, message] of [[['set', '../x', 'new'], /found "\.\.\/x" as the name/], [['show', 'mian'], /did you mean main\?/], [['set', 'x', 'gone'], /gone: cannot open the run/], [['list', 'x'], /baseline set NAME DIR/]]) {
    const refused = await baseline(...words);
    assert.equal(refused.code, 2, words.join());
    assert.match(refused.stderr, message);
  }
  assert.equal((await baseline('remove', 'main')).code, 0);
  assert.match((await compare(directory, 'baseline:main', 'new')).stderr, /there is no baseline main in baselines; make one/);
});

test('what differs beside the scores is told', async (t) => {
  const directory = scratch(t);
  await routed(directory, 'base', flags('1101'), { ids: ['a', 'b', 'c', 'd'] });
  await routed(directory, 'new', flags('0011'), { ids: ['b', 'c', 'd', 'e'], config: { seed: 7 }, more: (i) => (i === 0 ? { question: 'Another question?' } : {}) });
  const found = JSON.parse((await compare(directory, 'base', 'new', '--format', 'json')).stdout);
  assert.deepEqual([found.only_in_base, found.only_in_new, found.pairs, found.different_text], [['a'], ['e'], 3, 1]);
  assert.ok(found.differences.includes('seed: 0 → 7'), found.differences.join());
  assert.ok(found.differences.some((one) => one.startsWith('input_path: ')));
  const page = join(directory, 'compare.html');
  assert.equal((await compare(directory, 'base', 'new', '--format', 'html', '--output', page)).code, 0);
  assert.match(readFileSync(page, 'utf8'), /<!doctype html>[\s\S]*Cases that changed most/);
});

test('with clusters the interval is clustered, here and in the run itself', async (t) => {
  const directory = scratch(t);
  const more = (i) => ({ document: `d${Math.floor(i / 4)}` });
  const config = { cluster: 'document' };
  // Published: mean 0.55, clustered standard error 0.1837117 over five clusters; t with 4 degrees of freedom is 2.776445.
  await routed(directory, 'base', flags('00000000000000000000'), { more, config });
  await routed(directory, 'new', flags('11110001110100001011'), { more, config });
  const { accuracy } = JSON.parse(readFileSync(join(directory, 'new', 'summary.json'), 'utf8')).metrics;
  assert.equal(accuracy.method, 't_clustered');
  near(accuracy.ci[0], 0.55 - 2.776445 * 0.1837117);
  const [change] = JSON.parse((await compare(directory, 'base', 'new', '--format', 'json')).stdout).metrics;
  assert.match(change.difference.method, /clustered/);
  near(change.difference.ci[0], 0.55 - 2.776445 * 0.1837117);
  const line = JSON.parse(readFileSync(join(directory, 'new', 'results.jsonl'), 'utf8').split('\n')[0]);
  assert.deepEqual([line.cluster, line.scores], ['d0', { accuracy: 1 }]);
});

test('a line without its cluster is an error that names the field', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ question: 'q', expected_outcome: 'a', actual_outcome: 'a' }]);
  const run = await assay(['question_router', '--input-path', 'data.jsonl', '--cluster', 'document'], { cwd: directory });
  assert.equal(run.code, 2);
  assert.match(run.stderr, /line 1: field document: missing/);
});

test('runs that cannot be compared are refused with the reason', async (t) => {
  const directory = scratch(t);
  await routed(directory, 'base', flags('11'));
  await routed(directory, 'other', flags('11'), { ids: ['x', 'y'] });
  for (const [args, message] of [
    [['base', 'nowhere'], /nowhere/],
    [['base'], /which runs\?/],
    [['base', 'other'], /no case in common/],
    [['base', '.'], /not the directory of a run/],
  ]) {
    const run = await compare(directory, ...args);
    assert.equal(run.code, 2, args.join(' '));
    assert.match(run.stderr, message);
  }
});

// ── assay stats ──

const stats = async (directory, ...args) => assay(['stats', ...args], { cwd: directory });
const json = async (directory, ...args) => {
  const run = await stats(directory, ...args, '--format', 'json');
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
};

test('stats: groups, with published values', async (t) => {
  const directory = scratch(t);
  const rows = (name, values) => values.map((value) => `${name},${value}`);
  // Mann–Whitney: U = 17, exact two-sided p 0.11111.
  write(join(directory, 'mw.csv'), ['g,v', ...rows('x', [19, 22, 16, 29, 24]), ...rows('y', [20, 11, 17, 12])].join('\n'));
  const found = await json(directory, 'mw.csv', '--value', 'v', '--group', 'g');
  near(found.tests[0].mann_whitney.u, 17);
  near(found.tests[0].mann_whitney.p, 0.111111, 1e-5);
  assert.deepEqual([found.groups.x.n, found.groups.y.n, found.groups.x.median], [5, 4, 22]);
  // Cliff's delta −0.25 (effsize's own test data).
  write(join(directory, 'cliff.csv'), ['g,v', ...rows('t', [10, 10, 20, 20, 20, 30, 30, 30, 40, 50]), ...rows('c', [10, 20, 30, 40, 40, 50])].join('\n'));
  const [cliff] = (await json(directory, 'cliff.csv', '--value', 'v', '--group', 'g', '--control', 'c')).tests;
  assert.deepEqual([cliff.a, cliff.b], ['t', 'c']);
  near(cliff.cliffs_delta.value, -0.25);
  const table = await stats(directory, 'cliff.csv', '--value', 'v', '--group', 'g');
  assert.match(table.stdout, /group +n +mean/);
});

test('stats: pairs by a column, Wilcoxon on the depression data', async (t) => {
  const directory = scratch(t);
  const x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
  const y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
  writeLines(join(directory, 'pairs.jsonl'), [...x.map((v, i) => ({ who: `p${i}`, when: 'before', score: { v } })), ...y.map((v, i) => ({ who: `p${i}`, when: 'after', score: { v } })).reverse()]);
  const [found] = (await json(directory, 'pairs.jsonl', '--value', 'score.v', '--group', 'when', '--pair', 'who')).tests;
  near(found.wilcoxon.v, 40);
  near(found.wilcoxon.p, 2 * 0.01953125);
  assert.equal(found.pairs, 9);
});

test('stats: raters, Krippendorff\'s canonical data', async (t) => {
  const directory = scratch(t);
  const raters = ['1 2 3 3 2 1 4 1 2 . . .', '1 2 3 3 2 2 4 1 2 5 . 3', '. 3 3 3 2 3 4 2 2 5 1 .', '1 2 3 3 2 4 4 1 2 5 1 .'].map((row) => row.split(' '));
  const lines = raters[0].map((_, unit) => raters.map((rater) => (rater[unit] === '.' ? '' : rater[unit])).join(','));
  write(join(directory, 'k.csv'), ['a,b,c,d', ...lines].join('\r\n'));
  for (const [level, alpha] of [['nominal', 0.743421], ['ordinal', 0.815388], ['interval', 0.849107], ['ratio', 0.797403]]) {
    const found = await json(directory, 'k.csv', '--raters', 'a,b,c,d', '--level', level);
    near(found.krippendorff_alpha.value, alpha);
  }
});

test('stats: power, the figures of the literature', async (t) => {
  const directory = scratch(t);
  // δ = 0.03, ω² = 1/9: 968.997 → 969 cases; at 500 cases the smallest effect is 0.041764.
  const size = await json(directory, 'power', '--delta', '0.03', '--sd', String(1 / 3));
  assert.equal(size.n, 969);
  near(size.n_exact, 968.997, 1e-3);
  near((await json(directory, 'power', '--n', '500', '--sd', String(1 / 3))).minimum_detectable_effect, 0.041764);
  assert.equal((await stats(directory, 'power', '--delta', '0.03')).code, 2);
});

test('stats: who wins, with the order effect', async (t) => {
  const directory = scratch(t);
  // 1987 baseball, home wins and away wins by pair; published: home effect 0.3023 (SE 0.1309), log likelihood -169.5429.
  const teams = ['Bal', 'Bos', 'Cle', 'Det', 'Mil', 'NY', 'Tor'];
  const games = { 5: '4:4-3 7:4-2 6:4-3 2:6-1 3:4-2 1:6-0', 4: '5:3-3 7:4-2 6:4-3 2:6-0 3:6-1 1:4-3', 7: '5:2-5 4:4-3 6:2-4 2:4-3 3:4-2 1:6-0', 6: '5:3-3 4:5-1 7:2-5 2:4-3 3:4-2 1:6-1', 2: '5:5-1 4:2-5 7:3-3 6:4-2 3:5-2 1:6-0', 3: '5:2-5 4:3-3 7:3-4 6:4-3 2:4-2 1:2-4', 1: '5:2-5 4:1-5 7:1-6 6:2-4 2:1-6 3:3-4' };
  const rows = ['home,away,winner'];
  for (const [home, list] of Object.entries(games)) {
    for (const [, away, won, lost] of list.matchAll(/(\d):(\d)-(\d)/g)) {
      for (let i = 0; i < won; ++i) rows.push(`${teams[home - 1]},${teams[away - 1]},a`);
      for (let i = 0; i < lost; ++i) rows.push(`${teams[home - 1]},${teams[away - 1]},${teams[away - 1]}`);
    }
  }
  write(join(directory, 'games.csv'), rows.join('\n'));
  const found = await json(directory, 'games.csv', '--winner', 'winner', '--a', 'home', '--b', 'away');
  near(found.order_effect.value, 0.3023, 1e-4);
  near(found.order_effect.se, 0.1309, 1e-4);
  near(found.log_likelihood, -169.5429, 1e-3);
  assert.deepEqual(Object.entries(found.bradley_terry).sort(([, x], [, y]) => y.log_strength - x.log_strength).map(([name]) => name).slice(0, 2), ['Mil', 'Det']);
});

test('stats: what is wrong with a table is told at once, with lines', async (t) => {
  const directory = scratch(t);
  write(join(directory, 'bad.csv'), 'g,v\nx,1\n,2\ny,three\nz,four\n');
  const numbers = await stats(directory, 'bad.csv', '--value', 'v', '--group', 'g');
  assert.equal(numbers.code, 2);
  assert.match(numbers.stderr, /line 4, v: found "three", expected a number[\s\S]*line 5, v: found "four"/);
  write(join(directory, 'gaps.csv'), 'g,v\nx,1\n,2\ny,\n');
  assert.match((await stats(directory, 'gaps.csv', '--value', 'v', '--group', 'g')).stderr, /line 3: column g is empty/);
  assert.match((await stats(directory, 'gaps.csv', '--value', 'w', '--group', 'g')).stderr, /there is no column w/);
  assert.match((await stats(directory, 'gaps.csv')).stderr, /what is asked\?/);
  assert.equal((await stats(directory, 'nowhere.csv', '--value', 'v', '--group', 'g')).code, 2);
});

// ── what people say ──

test('labels by people stand beside the judge, and correct it as published', async (t) => {
  const directory = scratch(t);
  // PPI++ on ten labelled and forty other rows: people 0.6, corrected 0.615935 (arXiv:2311.01453, ppi_py's conventions).
  const judge = [...flags('1111101110'), ...Array.from({ length: 40 }, (_, i) => (i < 33 ? 1 : 0))];
  await routed(directory, 'plain', judge, { more: () => ({ made_to_show: 'what no judge is told' }) });
  const sample = await assay(['label-sample', 'plain', '--figure', 'accuracy', '--count', '10'], { cwd: directory });
  assert.equal(sample.code, 0, sample.stderr);
  const rows = sample.stdout.trimEnd().split('\r\n');
  assert.equal(rows[0], 'id,probability,question,actual_outcome,drawn,label');
  assert.equal(rows.length, 11);
  const order = rows.slice(1).map((row) => Number(/^q(\d+)/.exec(row)[1]));
  assert.notDeepEqual(order, order.toSorted((a, b) => a - b), 'in an order of chance: whoever stops early has labelled a random part');
  assert.match(rows[1], /^q\d+,0\.2,Question q\d+\?,[a-z_]+,\S+ judging=\w+ prompts=\w+,$/);
  assert.equal((await assay(['label-sample', 'plain', '--figure', 'accuracy', '--count', '10'], { cwd: directory })).stdout, sample.stdout, 'the same seed chooses the same cases');
  assert.notEqual((await assay(['label-sample', 'plain', '--figure', 'accuracy', '--count', '10', '--seed', '1'], { cwd: directory })).stdout, sample.stdout);

  write(join(directory, 'labels.csv'), ['id,label', ...flags('1110101100').map((label, i) => `q${i},${label}`), 'stranger,1', 'q40,'].join('\n'));
  await routed(directory, 'labelled', judge, { config: { human: { labels: 'labels.csv', figure: 'accuracy' }, gates: ['accuracy.corrected >= 0.5'] } });
  const { metrics } = JSON.parse(readFileSync(join(directory, 'labelled', 'summary.json'), 'utf8'));
  near(metrics['accuracy.judge_only'].value, 41 / 50);
  near(metrics['accuracy.human_only'].value, 0.6);
  near(metrics['accuracy.corrected'].value, 0.615935);
  assert.ok(metrics['accuracy.corrected'].ci[0] < 0.37 && metrics['accuracy.corrected'].ci[1] > 0.86, 'few labels: no narrower than the normal interval');
  assert.deepEqual([metrics['accuracy.labels'].value, metrics['accuracy.labels_of_no_case'].value], [10, 1]);
  assert.deepEqual(metrics['accuracy.labels'].missing, { not_labelled: 1 });
  assert.equal(metrics['accuracy.rogan_gladen'].method, 'rogan_gladen');
});

test('labels that cannot be used are told with their lines', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ question: 'q', expected_outcome: 'a', actual_outcome: 'a' }]);
  write(join(directory, 'labels.csv'), 'id,label,probability\n1,maybe,0.5\n1,1,2\n');
  const run = await assay(['question_router', '--input-path', 'data.jsonl', '--human', '{labels: labels.csv, figure: accuracy}'], { cwd: directory });
  assert.equal(run.code, 2);
  for (const told of [/line 2, label: found maybe/, /line 3, probability: found 2/, /line 3: the case 1 is labelled already/]) assert.match(run.stderr, told);
});

test('a prompt with another text is named, whatever its file is called', async (t) => {
  const directory = scratch(t);
  writeLines(join(directory, 'data.jsonl'), [{ question: 'May I build a shed?', llm_answer: 'Yes, two metres high.' }]);
  const run = async (name, text) => {
    write(join(directory, 'own.txt'), text);
    write(join(directory, 'eval.yaml'), JSON.stringify({ evaluation: 'rag_answers', input_path: 'data.jsonl', judge: 'sim/judge', n_runs: 1, metrics: ['coherence'], prompts: { 'rag/coherence': 'own.txt' } }));
    const done = await assay(['run', 'eval.yaml', '--output-dir', name], { cwd: directory });
    assert.equal(done.code, 0, done.stderr);
  };
  await run('base', 'How well does it hold together?\n{question}\n{answer}');
  await run('new', 'Rate how it hangs together.\n{question}\n{answer}');
  const found = JSON.parse((await compare(directory, 'base', 'new', '--format', 'json')).stdout);
  assert.deepEqual(found.differences, ['prompt rag/coherence: its text differs']);
  assert.deepEqual(found.judged_differently, found.differences);
});
