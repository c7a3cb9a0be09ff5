// The plots of a run: the first ones at once, the distributions that follow when they are asked for.
import { useState } from 'preact/hooks';
import type { PlotFile } from '../api/types';
import { countedWords } from '../figures/words';
import { Plot } from '../plots/plot';

const atOnce = 4;
const isDistribution = ({ name }: PlotFile): boolean => name.startsWith('distribution_');

export function Plots({ of }: { of: PlotFile[] }) {
  const [isOpen, setOpen] = useState(false);
  const folded = of.filter(isDistribution).slice(atOnce);
  const shown = of.filter((plot) => !folded.includes(plot));
  return (
    <>
      <div class="plots">{shown.map((plot) => <Plot key={plot.name} plot={plot} />)}</div>
      {folded.length > 0 && (
        <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{countedWords(folded.length, 'more plot', 'more plots')} of distributions</summary>
          {isOpen && <div class="plots">{folded.map((plot) => <Plot key={plot.name} plot={plot} />)}</div>}
        </details>
      )}
    </>
  );
}
