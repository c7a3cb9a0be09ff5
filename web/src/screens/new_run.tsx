// A new run: choose a config, change its keys, look at what `check` says, start.
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { runAddress, type Query } from '../address';
import { post, withQuery, type Refusal } from '../api/client';
import { Await, Trouble, useLoaded } from '../api/loading';
import type { ConfigDetail, ConfigGlance, KeyDeclaration } from '../api/types';
import { titleWords } from '../figures/words';
import { useKeys } from '../keys';
import { go, Link, usePlace, useQuery } from '../navigation';
import { Section, useTitle } from '../parts';
import { Inline, Name, Text } from '../text/text';
import { Json } from '../text/value';
import { changesOf, fieldText, isLongType, isNumberType, isOfFile, isReadOnlyStructure } from './config_form';

const withCode = (help: string): ComponentChild[] => help.split('`').map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part));

function KeyField({ declared, text, set }: { declared: KeyDeclaration; text: string; set: (text: string) => void }) {
  const id = `key-${declared.name}`;
  const common = { id, value: text, disabled: declared.changeable === false, 'aria-describedby': `${id}-help` };
  const isLong = text.includes('\n') || text.length > 60 || isLongType(declared.type);
  return (
    <div class="key-field">
      <label for={id}><code><Name of={declared.name} /></code>{declared.required && !declared.name.includes('.') && <span class="note"> required</span>}</label>
      {declared.choices || declared.type === 'boolean' ? (
        <select {...common} onChange={(event) => set(event.currentTarget.value)}><option value="">as declared</option>{(declared.choices ?? ['true', 'false']).map((one) => <option key={one}>{one}</option>)}</select>
      ) : isNumberType(declared.type) ? (
        <input {...common} type="number" step="any" min={declared.minimum} max={declared.maximum} onInput={(event) => set(event.currentTarget.value)} />
      ) : isLong ? (
        <textarea {...common} rows={Math.min(8, Math.max(2, text.split('\n').length))} spellcheck={false} onInput={(event) => set(event.currentTarget.value)} />
      ) : (
        <input {...common} type="text" spellcheck={false} onInput={(event) => set(event.currentTarget.value)} />
      )}
      <p class="note" id={`${id}-help`}>{withCode(declared.help)}{declared.default !== undefined && <> Default <code><Text of={fieldText(declared.default)} /></code>.</>}{declared.changeable === false && ' Changed in the file only.'}</p>
    </div>
  );
}

function ConfigForm({ config }: { config: ConfigDetail }) {
  const given = Object.fromEntries(config.keys.map(({ name }) => [name, fieldText(config.values[name])]));
  const [texts, setTexts] = useState(given);
  const [wanted, setWanted] = useState('');
  const [check, setCheck] = useState<{ ok: boolean; output: string }>();
  const [problem, setProblem] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const [coming, setComing] = useState('');
  const { changes, wrong } = changesOf(config, texts);
  const body = { config: config.name, changes };
  const fail = (error: unknown): void => { setProblem(error as Refusal); setBusy(false); };
  const begin = (): void => { setBusy(true); setProblem(undefined); setComing(''); };
  const doCheck = (): void => {
    begin();
    post<{ ok: boolean; output: string }>('/api/check', body).then((value) => { setBusy(false); setCheck(value); }, fail);
  };
  const start = (): void => {
    begin();
    post<{ run: string; reading: boolean }>('/api/runs', body).then(({ run, reading }) => { if (reading) { setBusy(false); setComing(run); } else go(runAddress(run)); }, fail);
  };
  // A check holds for what was checked, and for nothing that was changed since.
  const state = JSON.stringify(changes);
  useEffect(() => setCheck(undefined), [state]);
  // What is required of a part that the file does not have is not.
  const isSet = (key: KeyDeclaration): boolean => {
    const { name, required } = key;
    return (Boolean(required) && !name.includes('.')) || isOfFile(config, key) || texts[name] !== given[name];
  };
  const needle = wanted.trim().toLowerCase();
  const fitting = config.keys.filter((key) => (needle ? `${key.name} ${key.help}`.toLowerCase().includes(needle) : isSet(key)));
  const structures = fitting.filter((key) => isReadOnlyStructure(config, key));
  const shown = fitting.filter((key) => !structures.includes(key));
  useEffect(() => { if (check) document.getElementById('check')?.scrollIntoView({ block: 'nearest' }); }, [check]);
  return (
    <>
      <Section id="keys" title="Keys">
        <label class="filter">Find a key <input type="search" value={wanted} placeholder={`one of ${config.keys.length} keys`} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
        <p class="note">{needle ? 'Shown are the keys that fit.' : `Shown are the keys that the file sets and those that are required; it leaves out the other ${config.keys.length - fitting.length}, which can be found by name.`} An empty field leaves what the file says.</p>
        <div class="key-fields">{shown.map((declared) => <KeyField key={declared.name} declared={declared} text={texts[declared.name] ?? ''} set={(text) => setTexts({ ...texts, [declared.name]: text })} />)}</div>
        {structures.map(({ name, help }) => (
          <details class="more" key={name}>
            <summary><code><Name of={name} /></code> <span class="note">changed in the file only</span></summary>
            <p class="note">{withCode(help)}</p>
            <Json of={config.values[name]} />
          </details>
        ))}
        {wrong.length > 0 && <p class="trouble" role="alert">Not readable: {wrong.join(', ')}</p>}
        {Object.keys(changes).length > 0 && <p class="note">Changed: <Inline of={Object.keys(changes).join(', ')} /></p>}
      </Section>
      {problem && <Trouble problem={problem} />}
      {coming && <p class="banner" role="status">The run was started and still reads its data. <Link to={runAddress(coming)}>It is here</Link> once it has begun, and among the <Link to="/">runs</Link>; if the data are wrong, it never is, and a check says why.</p>}
      {check && <Section id="check" title={check.ok ? 'Check: it can run' : 'Check: it cannot run'}><pre tabIndex={0}><code><Text of={check.output} /></code></pre></Section>}
      <details class="more"><summary>The file as it is</summary><pre tabIndex={0}><code><Text of={config.text} /></code></pre></details>
      <p class="form-actions stay">
        <button type="button" class="plain" disabled={isBusy || wrong.length > 0} onClick={doCheck}>Check</button>
        <button type="button" class="plain strong" disabled={isBusy || wrong.length > 0 || check?.ok === false} onClick={start}>Start the run</button>
        {isBusy && <span class="note" role="status">Working…</span>}
      </p>
    </>
  );
}

export function NewRunScreen({ query }: { query: Query }) {
  const [, change] = useQuery();
  const configs = useLoaded<{ configs: ConfigGlance[] }>('/api/configs');
  const chosen = query['config'] ?? '';
  const config = useLoaded<ConfigDetail>(chosen ? withQuery('/api/config', { name: chosen }) : undefined);
  useTitle('New run');
  usePlace('new', configs.value !== undefined);
  useKeys([]);
  return (
    <>
      <h1>New run</h1>
      <Await of={configs}>{({ configs: list }) => (
        <label class="wide">Config <select value={chosen} onChange={(event) => change({ config: event.currentTarget.value })}>
          <option value="">choose one of {list.length}</option>
          {list.map((one) => <option key={one.name} value={one.name} disabled={one.problem !== undefined && one.problem !== ''}>{one.name} · {titleWords(one.evaluation)}{one.what && `: ${one.what}`}{one.problem && ' (cannot be read)'}</option>)}
        </select></label>
      )}</Await>
      {configs.value?.configs.filter(({ problem }) => problem).map((one) => <p key={one.name} class="note"><code><Inline of={one.name} /></code> <Text of={one.problem ?? ''} /></p>)}
      {chosen && <Await of={config}>{(found) => <ConfigForm key={found.name} config={found} />}</Await>}
    </>
  );
}
