// Files of the run, and its evaluation's own pages. They are fetched with the token and kept by the browser as files.
import { useState } from 'preact/hooks';
import { getBlob, runPath, withQuery, type Refusal } from '../../api/client';
import { Trouble, useLoaded } from '../../api/loading';
import { Section } from '../../parts';
import { saveAddress } from '../../plots/drawing';
import { Inline } from '../../text/text';

export function Files({ run, pages }: { run: string; pages: string[] }) {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<Refusal>();
  const files = useLoaded<{ files: (string | { name: string; bytes?: number })[] }>(isOpen ? runPath(run, '/files') : undefined);
  const save = (name: string): void => {
    getBlob(withQuery(runPath(run, '/file'), { name })).then((blob) => saveAddress(name.split('/').at(-1) ?? name, URL.createObjectURL(blob)), (error: unknown) => setProblem(error as Refusal));
  };
  const Save = ({ name }: { name: string }) => <button type="button" class="plain" onClick={() => save(name)}><Inline of={name} /> ↓</button>;
  return (
    <Section id="files" title="Files">
      {pages.length > 0 && <p class="files">Pages of this evaluation, to keep and open: {pages.map((name) => <Save key={name} name={name} />)}</p>}
      <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>All files of the run</summary>
        <p class="files">{(files.value?.files ?? []).map((file) => (typeof file === 'string' ? file : file.name)).map((name) => <Save key={name} name={name} />)}</p>
      </details>
      {problem && <Trouble problem={problem} />}
    </Section>
  );
}
