// Two or more runs, paired by case: what the data say, by how much, what changed beside them, and which cases to look at.
import { useEffect } from 'preact/hooks';
import { caseAddress, runAddress, type Query } from '../address';
import { runPath, withQuery } from '../api/client';
import { Await, useLoaded } from '../api/loading';
import type { CaseView, Change, ChangedCase, Comparison, Comparisons, Estimate, Figure, JudgeChange, RunGlance } from '../api/types';
import { IntervalBar } from '../figures/interval_bar';
import { aroundZero, finiteEnds, sharedAroundZero } from '../figures/scale';
import { countedWords, countWords, numberWords, notAvailable, plainWords, pWords, titleWords } from '../figures/words';
import { Link, usePlace, useQuery } from '../navigation';
import { Conclusions, Section, SimulatedBanner, useTitle } from '../parts';
import { ScrollBox } from '../tables/scroll_box';
import { Block, Inline, Name, Text, WordDiff } from '../text/text';
import { endedOf } from './case/ended';
import { EndedMark } from './case/ended_mark';
import { outputsOf, type Output } from './case/outputs';

const mostListed = 50;
const mostAtOnce = 12;

// What is left of sums of fractions is no difference.
const exact = (value: number): number => (Math.abs(value) < 1e-12 ? 0 : value);
const signed = (value: number): string => (exact(value) > 0 ? `+${numberWords(value)}` : numberWords(exact(value)).replace('-', '−'));
const valueOrNone = (value: number | null): string => (value === null ? notAvailable : numberWords(value));
const changeClass: Record<string, string> = { better: 'pass', worse: 'fail' };

const valueOrSigned = (value: number | null): string => (value === null ? notAvailable : signed(value));

function asFigure(name: string, estimate: Estimate): Figure {
  return { name, estimate, form: 'number', better: 'higher', reference: 0 };
}

function Differences({ changes, title }: { changes: Change[]; title: string }) {
  const sizeOf = ({ difference }: Change): number => Math.max(Math.abs(difference.value ?? 0), ...(finiteEnds(difference.ci) ?? []).map(Math.abs));
  const shared = sharedAroundZero(changes.filter(({ difference }) => difference.ci).map(sizeOf));
  return (
    <>
      <ScrollBox label={title} long={changes.length > 30}>
        <table role="table" class="stack">
          <caption class="visually-hidden">{title}, new minus base</caption>
          <thead role="rowgroup"><tr role="row">{['figure', 'base', 'new', 'difference', '95% interval around 0', 'n', 'p (Holm)', 'rose / fell / equal'].map((head) => <th key={head} role="columnheader" scope="col" class={['base', 'new', 'difference', 'n', 'p (Holm)'].includes(head) ? 'number' : ''}>{head}</th>)}</tr></thead>
          <tbody role="rowgroup">
            {changes.map((change) => {
              const { difference } = change;
              const size = sizeOf(change);
              const isOwn = size > shared[1];
              return (
                <tr key={change.metric} role="row">
                  <th role="rowheader" scope="row"><code><Name of={change.metric} /></code> <span class={`outcome ${changeClass[change.change] ?? 'open'}`}>{plainWords(change.change)}</span></th>
                  <td role="cell" class="number" data-label="base">{valueOrNone(change.base)}</td>
                  <td role="cell" class="number" data-label="new">{valueOrNone(change.new)}</td>
                  <td role="cell" class="number value">{difference.value === null ? notAvailable : signed(difference.value)}</td>
                  <td role="cell" class="range">
                    {difference.ci ? <div><IntervalBar figure={asFigure(change.metric, difference)} axis={isOwn ? aroundZero(size) : shared} /><span>{difference.ci.map(valueOrSigned).join(' to ')}{isOwn && <span class="note line">drawn to ±{aroundZero(size)[1]}</span>}</span></div>
                      : <span class="note"><Text of={difference.undefined ?? notAvailable} /></span>}
                  </td>
                  <td role="cell" class="number" data-label="n">{countWords(difference.n)}</td>
                  <td role="cell" class="number" data-label="p">{pWords(change.p_holm)}</td>
                  <td role="cell" data-label="rose / fell / equal">{countWords(change.rose)} / {countWords(change.fell)} / {countWords(change.equal)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollBox>
      <p class="note scales">New minus base, over the pairs. Bars are drawn to ±{shared[1]} unless they say otherwise.</p>
    </>
  );
}

// What the data tell apart first, then what they do not; what is equal on every case is folded away.
function AllDifferences({ changes, run }: { changes: Change[]; run: string }) {
  const told = changes.filter(({ change }) => change === 'better' || change === 'worse');
  const equal = changes.filter(({ change, rose, fell }) => change === 'same' || rose + fell === 0);
  const open = changes.filter((one) => !told.includes(one) && !equal.includes(one));
  const shown = [...told, ...open];
  return (
    <>
      {shown.length > 0 ? <Differences changes={shown} title={`Figures that differ in ${run}`} /> : <p class="note">No figure differs on any case.</p>}
      {equal.length > 0 && <details class="more"><summary>{countedWords(equal.length, 'figure is', 'figures are')} equal on every case</summary><Differences changes={equal} title={`Figures that are equal in ${run}`} /></details>}
    </>
  );
}

function SideBySide({ base, fresh, id }: { base: RunGlance; fresh: RunGlance; id: string }) {
  const left = useLoaded<CaseView>(withQuery(runPath(base.id, '/case'), { id }));
  const right = useLoaded<CaseView>(withQuery(runPath(fresh.id, '/case'), { id }));
  const isHere = left.value !== undefined && right.value !== undefined;
  useEffect(() => { if (isHere) document.getElementById('side-by-side')?.scrollIntoView(); }, [isHere]);
  return (
    <Section id="side-by-side" title="Side by side">
      <p class="mono"><Name of={id} /></p>
      <Await of={left}>{(before) => <Await of={right}>{(after) => {
        const [a, b] = [outputsOf(before), outputsOf(after)];
        const names = [...new Set([...a, ...b].map(({ name }) => name))];
        const textIn = (list: Output[], name: string): string | undefined => list.find((one) => one.name === name)?.text;
        return (
          <>
            <div class="answers heads"><p>base: <Link to={caseAddress(base.id, id)}>open the case</Link> <EndedMark ended={endedOf(before.result ?? {}, before.outcome)} /></p><p>new: <Link to={caseAddress(fresh.id, id)}>open the case</Link> <EndedMark ended={endedOf(after.result ?? {}, after.outcome)} /></p></div>
            {names.length === 0 && <p class="note">Neither run has an answer to this case.</p>}
            {names.map((name) => {
              const [was, is] = [textIn(a, name), textIn(b, name)];
              return (
                <section key={name} class="answer-row">
                  <h3 class="note"><Text of={titleWords(name)} /></h3>
                  <div class="answers">
                    <article class="answer">{was === undefined ? <p class="note">Not in base.</p> : <Block of={was} />}</article>
                    <article class="answer">{is === undefined ? <p class="note">Not in new.</p> : was === undefined ? <Block of={is} /> : <WordDiff before={was} after={is} />}</article>
                  </div>
                </section>
              );
            })}
          </>
        );
      }}</Await>}</Await>
    </Section>
  );
}

// Two judges on the same answers: how far they agree, and the cases that pass with one of them alone, with both reasons.
function TwoJudges({ of, look }: { of: JudgeChange; look: Look }) {
  const heads = ['case', 'figure', 'base', 'new', 'base says', 'new says'];
  return (
    <>
      <h2>The two judges on the same answers</h2>
      <ul class="plain-list">{of.sentences.map((one, i) => <li key={i}><Text of={one} /></li>)}</ul>
      {of.flips.length > 0 && (
        <ScrollBox label="Cases that flip, with both reasons" long={of.flips.length > 30}>
          <table role="table" class="stack">
            <caption class="visually-hidden">Cases that flip, with both reasons</caption>
            <thead role="rowgroup"><tr role="row">{heads.map((head) => <th key={head} role="columnheader" scope="col" class={['base', 'new'].includes(head) ? 'number' : ''}>{head}</th>)}</tr></thead>
            <tbody role="rowgroup">
              {of.flips.slice(0, mostListed).map((one) => (
                <tr key={`${one.id} ${one.metric}`} role="row">
                  <th role="rowheader" scope="row"><CaseButton id={one.id} look={look} /></th>
                  <td role="cell" data-label="figure"><code><Name of={one.metric} /></code></td>
                  <td role="cell" class="number" data-label="base">{numberWords(one.base).replace(/^-/, '−')}</td>
                  <td role="cell" class="number" data-label="new">{numberWords(one.new).replace(/^-/, '−')}</td>
                  <td role="cell" data-label="base says"><Inline of={one.base_reason.slice(0, 300)} /></td>
                  <td role="cell" data-label="new says"><Inline of={one.new_reason.slice(0, 300)} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {of.flips.length > mostListed && <p class="note">{countedWords(of.flips.length - mostListed, 'further case flips', 'further cases flip')}.</p>}
    </>
  );
}

type Look = (id: string) => void;
const CaseButton = ({ id, look }: { id: string; look: Look }) => <button type="button" class="plain mono" onClick={() => look(id)}><Inline of={id} /></button>;
const Changes = ({ of, look }: { of: ChangedCase[]; look: Look }) => (
  <ul class="case-list">{of.map((one, i) => <li key={i}><CaseButton id={one.id} look={look} /> <code><Name of={one.metric} /></code> <span>{numberWords(one.base).replace(/^-/, '−')} → <strong>{numberWords(one.new).replace(/^-/, '−')}</strong></span></li>)}</ul>
);

// Where a list does not go on.
const Rest = ({ of }: { of: number }) => <p class="note">{countWords(of)} more {of === 1 ? 'is' : 'are'} not listed here.</p>;

function OneComparison({ base, run, comparison, query }: { base: RunGlance; run: RunGlance; comparison: Comparison; query: Query }) {
  const [, change] = useQuery();
  const look = (id: string): void => change({ case: id, with: run.id });
  const failures = comparison.new_failures;
  const judgedAlike = comparison.judged_differently.length === 0;
  const { worst, changed_most: changed } = comparison;
  const other = changed.filter(({ worse }) => !worse);
  // `of` are the first of them, most changed first.
  const further = (words: string, of: ChangedCase[], all: number) => (
    <details class="more"><summary>{words}</summary><Changes of={of} look={look} />{of.length < all && <Rest of={all - of.length} />}</details>
  );
  return (
    <article class="comparison" aria-label={`Against ${run.id}`}>
      <p class="what">base <Link to={runAddress(base.id)}><Name of={base.id} /></Link> · new <Link to={runAddress(run.id)}><Name of={run.id} /></Link> · {countedWords(comparison.pairs, 'case', 'cases')} paired by id</p>
      <SimulatedBanner models={comparison.simulated} />
      <Conclusions of={comparison.conclusions} />
      <h2>What changed</h2>
      {comparison.differences.length > 0 ? <ul class="plain-list">{comparison.differences.map((one, i) => <li key={i}><Text of={one} />{comparison.judged_differently.includes(one) && <span class="severity warning"> decides how answers are judged</span>}</li>)}</ul> : <p class="note">Nothing in config, prompts or program.</p>}
      {comparison.only_in_base.length + comparison.only_in_new.length > 0 && <p class="note">{countedWords(comparison.only_in_base.length, 'case is', 'cases are')} only in base, {countWords(comparison.only_in_new.length)} only in new.</p>}
      {comparison.different_text > 0 && <p class="note">{countedWords(comparison.different_text, 'pair has', 'pairs have')} the same id and another text.</p>}
      {comparison.judges && <TwoJudges of={comparison.judges} look={look} />}
      <h2>Differences</h2>
      <AllDifferences changes={comparison.metrics} run={run.id} />
      <details class="more"><summary>In sentences</summary><ul class="plain-list">{comparison.metrics.map(({ metric, sentence }) => <li key={metric}><Text of={sentence} /></li>)}</ul></details>
      <h2>New failures</h2>
      {failures.length === 0 ? <p class="note">No case fails that was scored in base.{comparison.mended.length > 0 && ` ${countedWords(comparison.mended.length, 'case that failed', 'cases that failed')} in base ${comparison.mended.length === 1 ? 'is' : 'are'} scored now.`}</p> : (
        <ul class="case-list">{failures.slice(0, mostListed).map((one) => <li key={one.id}><CaseButton id={one.id} look={look} /> <span class="outcome fail"><Inline of={plainWords(one.outcome ?? 'failed')} /></span> <span class="note"><Inline of={(one.error ?? one.text ?? '').slice(0, 300)} /></span></li>)}</ul>
      )}
      {failures.length > mostListed && <Rest of={failures.length - mostListed} />}
      {comparison.no_longer_pass.length > 0 && (
        <>
          <h3>Passed in base, not in new</h3>
          <ul class="case-list">{comparison.no_longer_pass.slice(0, mostListed).map((id) => <li key={id}><CaseButton id={id} look={look} /> <span class="outcome fail">not passed</span></li>)}</ul>
          {comparison.no_longer_pass.length > mostListed && <Rest of={comparison.no_longer_pass.length - mostListed} />}
        </>
      )}
      {comparison.pass_now.length > 0 && <p class="note">{countedWords(comparison.pass_now.length, 'case passes', 'cases pass')} now that did not in base.</p>}
      {judgedAlike ? (
        <>
          <h2>Worst regressions</h2>
          {worst.length === 0 ? <p class="note">No case got worse.</p> : <Changes of={worst.slice(0, mostAtOnce)} look={look} />}
          {worst.length > mostAtOnce && further(countedWords(comparison.worse_scores - mostAtOnce, 'further score that is worse', 'further scores that are worse'), worst.slice(mostAtOnce), comparison.worse_scores - mostAtOnce)}
          {other.length > 0 && further(`${countedWords(comparison.changed_scores - comparison.worse_scores, 'other score', 'other scores')} changed, better or neither`, other, comparison.changed_scores - comparison.worse_scores)}
        </>
      ) : changed.length > 0 && (
        <>
          <h2>Cases that are scored otherwise</h2>
          <p class="note">By the other judge, or the other metrics: none of them is a regression or a gain of the target.</p>
          <Changes of={changed.slice(0, mostAtOnce)} look={look} />
          {changed.length > mostAtOnce && further(countedWords(comparison.changed_scores - mostAtOnce, 'further score', 'further scores'), changed.slice(mostAtOnce), comparison.changed_scores - mostAtOnce)}
        </>
      )}
      {query['with'] === run.id && query['case'] && <SideBySide key={query['case']} base={base} fresh={run} id={query['case']} />}
    </article>
  );
}

export function CompareScreen({ base, others, query }: { base: string; others: string[]; query: Query }) {
  const loaded = useLoaded<Comparisons>(base && others.length > 0 ? withQuery('/api/compare', { base, new: others.join(',') }) : undefined);
  useTitle('Compare');
  usePlace(`compare ${base} ${others.join(',')}`, loaded.value !== undefined);
  return (
    <>
      <p class="crumbs"><Link to="/">Runs</Link> <span aria-hidden="true">/</span> compare</p>
      <h1>Compare{loaded.value && <span class="what"> <Text of={titleWords(loaded.value.base.evaluation)} /></span>}</h1>
      {!base || others.length === 0 ? <p>Choose two runs or more in the <Link to="/">table of runs</Link>.</p> : (
        <Await of={loaded}>{({ base: from, comparisons }) => <>{comparisons.map(({ run, comparison }) => <OneComparison key={run.id} base={from} run={run} comparison={comparison} query={query} />)}</>}</Await>
      )}
    </>
  );
}
