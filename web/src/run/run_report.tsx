// A run as its readers meet it, on the page and in report.html: the deciding sentences first, then figures, gates, cases,
// plots and tables. What a report cannot have (cases that a server pages) comes in from outside.
import type { ComponentChildren } from 'preact';
import type { ReportDetail, Summary } from '../api/types';
import { figuresOf, headlines } from '../figures/figures';
import { HeadlineCard } from '../figures/headline_card';
import { AllMetrics } from '../figures/metrics_table';
import { timeWords, titleWords } from '../figures/words';
import { Conclusions, Section } from '../parts';
import { Inline, Text } from '../text/text';
import { NotableCases } from './notable';
import { Plots } from './plots';
import { Gates, Problems, Repeat, RestsOn, Tables, Usage } from './sections';

type Fact = [name: string, words: string];
const FactList = ({ of, className }: { of: Fact[]; className: string }) => (
  <dl class={className}>{of.filter(([, words]) => words).map(([name, words]) => <div key={name}><dt><Text of={name} /></dt><dd><Inline of={words} /></dd></div>)}</dl>
);

// What was evaluated, by what, on what; then which run it was.
export function Facts({ run, started, took, summary }: { run: string; started: string; took: string; summary: Summary | null }) {
  const about = Object.entries(summary?.about ?? {});
  return (
    <>
      {about.length > 0 && <FactList className="facts about" of={about.map(([name, words]) => [titleWords(name), words])} />}
      <FactList className="facts" of={[['Run', run], ['Started', timeWords(started)], ['Took', took], ['Assay', summary?.assay ?? '']]} />
    </>
  );
}

// Some cases have no outcome yet.
export const isOpen = (summary: Summary | null): boolean => (summary?.cases.open ?? 0) > 0;

interface ReportProps { detail: ReportDetail; cases: ComponentChildren; link?: (id: string) => ComponentChildren }
interface Part { id: string; title: string; isThere: boolean; content: () => ComponentChildren }

function partsOf({ detail, cases, link }: ReportProps): Part[] {
  const { summary, plots, notable, problems } = detail;
  const figures = summary ? figuresOf(summary) : [];
  const gates = summary?.gates ?? [];
  const part = (id: string, title: string, isThere: boolean, content: () => ComponentChildren): Part => ({ id, title, isThere, content });
  return [
    part('conclusions', 'Conclusions', Boolean(summary?.conclusions?.length), () => <Conclusions of={summary?.conclusions ?? []} />),
    part('figures', 'Figures', summary !== null, () => summary && (
      <>
        {figures.length > 0
          ? <div class="figures">{headlines(figures).map((figure) => <HeadlineCard key={figure.name} figure={figure} gates={gates} />)}</div>
          : <p class="note">The run reported no figures.</p>}
        <RestsOn cases={summary.cases} sentences={detail.rests_on} />
      </>
    )),
    part('gates', 'Gates', gates.length > 0, () => <Gates gates={gates} figures={figures} isOpen={isOpen(summary)} />),
    part('cases', 'Cases', Boolean(cases), () => cases),
    part('notable', 'Cases worth a look', notable.length > 0, () => <NotableCases of={notable} link={link} />),
    part('plots', 'Plots', plots.length > 0, () => <Plots of={plots} />),
    part('metrics', 'All metrics', figures.length > 0, () => <AllMetrics figures={figures} gates={gates} />),
    part('tables', 'Tables', summary !== null && Object.keys(summary.tables).length > 0, () => summary && <Tables summary={summary} />),
    part('problems', 'Problems', detail.problem_count > 0 || problems.length > 0, () => <Problems problems={problems} count={detail.problem_count} />),
    part('usage', 'Usage and cost', summary !== null, () => summary && <Usage summary={summary} />),
    part('repeat', 'How to repeat', Boolean(detail.command) || Boolean(detail.config), () => <Repeat command={detail.command} config={detail.config} />),
  ].filter(({ isThere }) => isThere);
}

// The way to each section; `more` stands behind them.
export function SectionLinks({ more, ...props }: ReportProps & { more?: ComponentChildren }) {
  return <nav class="sections" aria-label="Sections"><ul>{partsOf(props).map(({ id, title }) => <li key={id}><a href={`#${id}`}>{title}</a></li>)}{more}</ul></nav>;
}

export const RunReport = (props: ReportProps) => <>{partsOf(props).map(({ id, title, content }) => <Section key={id} id={id} title={title}>{content()}</Section>)}</>;
