// A plot of a run, on the page and in a report: drawn from its spec, saved as a file, with its data as a table.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PlotFile } from '../api/types';
import { DataTable } from '../tables/data_table';
import { Text } from '../text/text';
import { drawInto, savings, themes, type Theme } from './drawing';
import { inTurn } from './in_turn';
import { dataColumns } from './plot_data';

const dark = matchMedia('(prefers-color-scheme: dark)');

export function Plot({ plot }: { plot: PlotFile }) {
  const canvas = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState('');
  const [isOpen, setOpen] = useState(false);
  // A spec that came again and is the same is not drawn again.
  const spec = JSON.stringify(plot.spec);
  useEffect(() => {
    const box = canvas.current;
    if (!box) return undefined;
    let view: ReturnType<typeof drawInto> | undefined;
    let width = 0;
    let isGone = false;
    const drawIn = (theme: Theme): void => {
      if (isGone) return;
      view?.finalize();
      width = box.clientWidth;
      try {
        view = drawInto(box, plot.spec, theme);
        setFailure('');
      } catch (error) {
        view = undefined;
        setFailure(error instanceof Error ? error.message : String(error));
      }
    };
    const draw = (): void => drawIn(dark.matches ? themes.dark : themes.light);
    const toPrint = (): void => drawIn(themes.light);
    let takeBack = (): void => undefined;
    const resized = new ResizeObserver(() => {
      if (box.clientWidth === width) return;
      takeBack();
      takeBack = inTurn(draw);
    });
    resized.observe(box);
    dark.addEventListener('change', draw);
    addEventListener('beforeprint', toPrint);
    addEventListener('afterprint', draw);
    return () => {
      isGone = true;
      takeBack();
      resized.disconnect();
      removeEventListener('beforeprint', toPrint);
      removeEventListener('afterprint', draw);
      dark.removeEventListener('change', draw);
      view?.finalize();
    };
  }, [spec]);
  const columns = dataColumns(plot.spec);
  return (
    <figure class={`plot${plot.wide ? ' wide' : ''}`} data-name={plot.name}>
      <h3><Text of={plot.title} /></h3>
      <div class="canvas" ref={canvas} />
      {failure && <p class="note">This plot could not be drawn (<Text of={failure} />); its data are below.</p>}
      <figcaption class="note"><Text of={plot.caption} /></figcaption>
      <p class="actions">
        {savings.map(({ words, help, save }) => <button key={words} type="button" class="plain" title={help} onClick={() => void save(plot.name, plot.spec)}>{words}</button>)}
      </p>
      <details class="more" open={isOpen || failure !== ''} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Open the data</summary>
        {(isOpen || failure !== '') && <DataTable title={plot.title} columns={columns} rows={(plot.spec.data?.values ?? []).map((row) => columns.map((name) => row[name]))} />}
      </details>
    </figure>
  );
}
