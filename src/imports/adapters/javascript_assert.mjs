// Lets a JavaScript assertion of promptfoo's score for Assay: node javascript_assert.mjs SETTINGS.json
//
// SETTINGS names the file (beside it) and the function, or code that stands in for a function's body. Each line of stdin
// is a question, each line of stdout its answer: docs/custom_programs.md of Assay. What the assertion prints goes to
// stderr, so that it cannot pass for an answer.
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

for (const name of ['log', 'info', 'debug']) console[name] = console.error;

const settingsPath = resolve(process.argv[2]);
const settings = JSON.parse(readFileSync(settingsPath, 'utf8'));
// Code in a suite loads modules by process.mainModule.require, which promptfoo sees to.
const itself = Object.create(process, { mainModule: { value: { require: createRequire(settingsPath) } } });

// An expression, declarations with an expression behind them, or, with several lines, a whole body.
function bodyOf(code) {
  if (code.includes('\n')) return code;
  const trimmed = code.trim().replace(/;+\s*$/, '');
  if (!/^(const|let|var)\s/.test(trimmed)) return `return ${trimmed}`;
  const last = lastSemicolon(trimmed);
  const expression = trimmed.slice(last + 1).trim();
  return last === -1 || !expression ? trimmed : `${trimmed.slice(0, last + 1)} return ${expression}`;
}

// The last semicolon outside of texts and brackets; -1 if there is none.
function lastSemicolon(code) {
  let found = -1;
  let depth = 0;
  let quote = '';
  for (let i = 0; i < code.length; ++i) {
    const c = code[i];
    if (quote) {
      if (c === '\\') ++i;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'" || c === '`') quote = c;
    else if ('([{'.includes(c)) ++depth;
    else if (')]}'.includes(c)) --depth;
    else if (c === ';' && depth === 0) found = i;
  }
  return found;
}

async function load() {
  const path = join(dirname(settingsPath), settings.file);
  if (settings.inline) return new Function('output', 'context', 'process', bodyOf(readFileSync(path, 'utf8').trimEnd()));
  const module = await import(pathToFileURL(path).href);
  if (settings.function) return module[settings.function] ?? module.default?.[settings.function];
  return typeof module.default === 'function' ? module.default : module.default?.default ?? module.get_assert;
}

const filled = (pattern, fields) => pattern.replace(/\{([A-Za-z0-9_.-]+)\}/g, (whole, name) => {
  const value = fields[name];
  return value === undefined || value === null ? whole : typeof value === 'string' ? value : JSON.stringify(value);
});

function contextOf(question) {
  const fields = question.fields ?? {};
  const vars = {};
  for (const [name, field] of Object.entries(settings.vars ?? {})) if (field in fields) vars[name] = fields[field];
  return {
    vars, prompt: filled(settings.prompts?.[question.variant ?? ''] ?? '', fields), test: { vars }, config: settings.config ?? undefined,
    providerResponse: { output: question.output, latencyMs: question.meta?.latency_ms, cost: question.meta?.cost_usd },
  };
}

// As promptfoo reads what an assertion gives: true or false, a number, or an object with pass, score and reason.
function verdict(result) {
  let passed;
  let score;
  let reason = '';
  if (typeof result === 'boolean') {
    passed = result;
    score = result ? 1 : 0;
  } else if (typeof result === 'number') {
    score = result;
    passed = settings.threshold == null ? result > 0 : result >= settings.threshold;
  } else if (result && typeof result.pass === 'boolean' && typeof result.score === 'number') {
    ({ pass: passed, score } = result);
    reason = String(result.reason ?? '');
  } else throw new Error(`expected a boolean, a number or an object with pass, score and reason, found ${JSON.stringify(result)}`);
  if (settings.inverse) {
    passed = !passed;
    if (score === 0 || score === 1) score = passed ? 1 : 0;
  }
  if (!Number.isFinite(score)) throw new Error(`expected a finite score, found ${score}`);
  if (score < 0 || score > 1) {
    reason = `score ${score}${reason ? `: ${reason}` : ''}`;
    score = Math.min(Math.max(score, 0), 1);
  }
  return { score, passed, reason };
}

const assertion = await load();
for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const question = JSON.parse(line);
  let answer;
  try {
    if (settings.parsed && typeof question.output === 'string') question.output = JSON.parse(question.output);
    answer = verdict(await assertion(question.output, contextOf(question), itself));
  } catch (error) {  // an assertion that throws has not passed, as in promptfoo
    answer = { score: 0, passed: false, reason: `Custom function threw error: ${error.message}` };
  }
  writeSync(1, `${JSON.stringify({ id: question.id, ...answer })}\n`);
}
