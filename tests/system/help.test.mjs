// Help that is enough to begin with, and completion in a real shell.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assay, binary, cleanEnvironment, scratch, write, writeLines } from './harness.mjs';

const section = (help, title) => new RegExp(`^${title}.*\\n((?: {2}.*\\n)+)`, 'm').exec(help)[1];

// The files that help shows, each under its name.
function files(help) {
  const found = {};
  let name;
  for (const line of section(help, 'The smallest config that runs').split('\n')) {
    const head = /^ {2}(\S+):$/.exec(line);
    if (head) found[name = head[1]] = '';
    else if (line.startsWith('    ')) found[name] += `${line.slice(4)}\n`;
  }
  return found;
}

test('help on each evaluation has a config that runs, the fields that it reads and figures that a gate takes', async (t) => {
  const directory = scratch(t);
  const general = (await assay(['help'])).stdout;
  assert.match((await assay(['help', 'import'])).stdout, /ragas +a data set[\s\S]*--output/);
  const names = section(general, 'Evaluations').trim().split('\n').map((line) => line.trim().split(' ')[0]);
  assert.equal(names.length, 11);
  await Promise.all(names.map(async (name) => {
    const help = (await assay(['help', name])).stdout;
    const shown = files(help);
    const config = join(directory, name, `${name}.yaml`);
    assert.ok(shown[`${name}.yaml`], name);
    for (const [file, text] of Object.entries(shown)) {
      mkdirSync(dirname(join(directory, name, file)), { recursive: true });
      write(join(directory, name, file), text);
    }
    const run = await assay(['run', config, '-o', join(directory, name, 'run'), '-q']);
    assert.equal(run.code, 0, `${name}: ${run.stderr}`);

    // A family goes on with a name from the data; NAME, SCORE and VARIANT are the config's own.
    const figures = section(help, 'Figures').replace(/ {2}NAME and SCORE are[^\n]*/, '').trim().split(/\s+/)
      .filter((figure) => name !== 'custom' || /^(NAME\.rate|case_passed\.rate|failed\.rate|cost\.mean|latency\.p\d+)\.VARIANT$|^cost\.total$/.test(figure))
      .map((figure) => figure.replace('…', 'x').replace('NAME', 'short').replace('VARIANT', 'bot'))
      .filter((figure) => name !== 'rag_answers' || /^(coherence|faithfulness)\./.test(figure));
    assert.ok(figures.length > 2, name);
    const gated = await assay(['check', config, ...figures.flatMap((figure) => ['--gate', `${figure} >= 0`])]);
    assert.equal(gated.code, 0, `${name}: ${gated.stderr}`);

    // Of the evaluations with flat lines: what is not marked as optional is missed.
    const fields = section(help, 'Data').split('\n').map((line) => /^ {2}(\w+) +\S.*?, (required|optional)(.*)$/.exec(line)).filter(Boolean);
    if (shown['data.jsonl'] && name !== 'custom') {
      for (const [, field] of fields.filter(([, , when]) => when === 'required')) {
        const line = JSON.parse(shown['data.jsonl'].split('\n')[0]);
        delete line[field];
        writeLines(join(directory, name, 'data.jsonl'), [line]);
        assert.match((await assay(['check', config])).stderr, new RegExp(`field ${field}: missing`), `${name}: ${field}`);
      }
    }
  }));
});

test('every command tells of itself with --help and -h', async () => {
  const commands = section((await assay(['help'])).stdout, 'Commands').trim().split('\n').map((line) => line.trim().split(' ')[0]);
  assert.ok(commands.length > 20);
  await Promise.all(commands.flatMap((name) => ['--help', '-h'].map(async (flag) => {
    const told = await assay([name, flag]);
    assert.equal(told.code, 0, `${name} ${flag}: ${told.stderr}`);
    assert.match(told.stdout, new RegExp(`^${name}: .*\n\nassay ${name}\\b`), `${name} ${flag}`);
  })));
});

test('a real bash completes commands, flags, values, runs, baselines and figures', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'bin'));
  symlinkSync(binary, join(directory, 'bin/assay'));
  writeLines(join(directory, 'data.jsonl'), [{ question: 'q', expected_outcome: 'a', actual_outcome: 'a' }]);
  write(join(directory, 'mine.yaml'), `evaluation: custom
input_path: data.jsonl
models: {strict-one: {provider: sim, name: judge}}
variants: {a: {given: actual_outcome}, b: {given: expected_outcome}}
metrics: [{name: short, words: {max: 3}}]
`);
  write(join(directory, 'router.yaml'), 'evaluation: question_router\ninput_path: data.jsonl\n');
  for (const words of [['run', 'router.yaml', '-o', 'results/first', '-q'], ['baseline', 'set', 'main', 'results/first']])
    assert.equal((await assay(words, { cwd: directory })).code, 0);
  const lines = {
    'assay que': ['question_router'],
    'assay run router.yaml --gate accu': ['accuracy'],
    'assay question_router --gate cohen': ['cohen_kappa'],
    'assay rag_answers --metrics coh': ['coherence'],
    'assay rag_answers --judge.model anth': ['anthropic/'],
    'assay report results/first --format ju': ['junit'],
    'assay show results/f': ['results/first'],
    'assay compare baseline:m': ['main'],
    'assay baseline remove ': ['main'],
    'assay import dee': ['deepeval'],
    'assay check router.yaml --input-f': ['--input-format'],
    'assay check router.yaml --no-gen': ['--no-generate'],
    'assay run rou': ['router.yaml'],
    'assay init topic': ['topic_tagger'],
    'assay stats alt': ['alt-test'],
    'assay plan rou': ['router.yaml'],
    'assay plan router.yaml --pilot results/f': ['results/first'],
    'assay audit results/f': ['results/first'],
    'assay stress results/f': ['results/first'],
    'assay run router.yaml --stop-when accu': ['accuracy'],
    'assay score -o out results/f': ['results/first'],
    'assay help metr': ['metrics'],
    // Figures that only the config names, those of a run that is there, and models under names of the config.
    'assay run mine.yaml --gate short.': ['short.difference.b', 'short.rate.a', 'short.rate.b'],
    'assay label-sample results/first --figure coh': ['cohen_kappa'],
    'assay run mine.yaml --judge.model strict': ['strict-one'],
  };
  // As readline does it: the words divided at COMP_WORDBREAKS, the function called, its answers read.
  const script = `source <(assay completion bash) || exit 9
while IFS= read -r line; do
  COMP_LINE="$line" COMP_POINT=\${#line}
  parted="\${line//:/ : }"
  read -ra COMP_WORDS <<< "$parted"
  case "$line" in *' ') COMP_WORDS+=('') ;; esac
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  COMPREPLY=()
  _assay assay
  printf '%s\\t%s\\n' "$line" "$(IFS=' '; echo "\${COMPREPLY[*]}")"
done`;
  const asked = spawnSync('bash', ['-c', script], { cwd: directory, input: Object.keys(lines).join('\n') + '\n', encoding: 'utf8', env: cleanEnvironment({ PATH: `${join(directory, 'bin')}:${process.env.PATH}` }) });
  assert.equal(asked.status, 0, asked.stderr);
  const found = Object.fromEntries(asked.stdout.trimEnd().split('\n').map((line) => line.split('\t')));
  for (const [line, words] of Object.entries(lines)) assert.equal([...new Set(found[line].split(' '))].join(' '), words.join(' '), line);
});

test('a real zsh completes at the first call of the function that it loads by name, and at every later one', async (t) => {
  const directory = scratch(t);
  mkdirSync(join(directory, 'bin'));
  symlinkSync(binary, join(directory, 'bin/assay'));
  write(join(directory, '_assay'), (await assay(['completion', 'zsh'])).stdout);
  // What the completion system gives a function: the words, the place of the last one, and compadd.
  const script = `compadd() { shift 2; print -r -- "$@" }
compdef() { print -r -- "for $2: $1" }
fpath=(. $fpath)
autoload -Uz _assay
words=(assay que) CURRENT=2
_assay; _assay
unfunction _assay
source ./_assay; _assay`;
  const asked = spawnSync('zsh', ['-fc', script], { cwd: directory, encoding: 'utf8', env: cleanEnvironment({ PATH: `${join(directory, 'bin')}:${process.env.PATH}` }) });
  assert.equal(asked.status, 0, asked.stderr);
  assert.deepEqual(asked.stdout.trim().split('\n'), ['question_router', 'question_router', 'for assay: _assay', 'question_router']);
});
