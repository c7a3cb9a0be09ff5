// What a job came to: the deciding sentences, its headline figures, all of them, and its report to keep.
import { Trouble, useLoaded } from '../../api/loading';
import type { Summary } from '../../api/types';
import { figuresOf, headlines } from '../../figures/figures';
import { HeadlineCard } from '../../figures/headline_card';
import { AllMetrics } from '../../figures/metrics_table';
import { Conclusions, SimulatedBanner } from '../../parts';
import { RestsOn } from '../../run/sections';
import { jobPath } from './kinds';
import { SaveButtons } from './save';

const nothingJudged = 409;

export function JobFigures({ mode, id }: { mode: string; id: string }) {
  const { value: summary, problem } = useLoaded<Summary & { rests_on: string[] }>(jobPath(mode, id, '/figures'));
  if (problem?.status === nothingJudged) return <p class="note">It has judged nothing yet, so there are no figures.</p>;
  if (problem) return <Trouble problem={problem} />;
  if (!summary) return <p class="note" role="status">Loading…</p>;
  const figures = figuresOf(summary);
  return (
    <div class="block">
      <h3>What it came to</h3>
      <SimulatedBanner models={summary.simulated ?? []} />
      <Conclusions of={summary.conclusions ?? []} />
      <div class="figures">{headlines(figures).map((figure) => <HeadlineCard key={figure.name} figure={figure} gates={summary.gates} />)}</div>
      <RestsOn cases={summary.cases} sentences={summary.rests_on} />
      <SaveButtons files={[
        { words: 'Report (HTML)', help: 'Save the report as a page', name: `${id}.html`, path: jobPath(mode, id, '/report') },
        { words: 'Report (Markdown)', help: 'Save the report as Markdown', name: `${id}.md`, path: jobPath(mode, id, '/report?format=md') },
      ]} />
      <details class="more"><summary>All figures</summary><AllMetrics figures={figures} gates={summary.gates} /></details>
    </div>
  );
}
