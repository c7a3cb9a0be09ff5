// What is drawn when it is opened, and stays then.
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';

export function Folded({ summary, opened = false, children }: { summary: string; opened?: boolean; children: () => ComponentChild }) {
  const [wasOpened, setOpened] = useState(opened);
  return (
    <details class="more" open={opened} onToggle={(event) => { if (event.currentTarget.open) setOpened(true); }}>
      <summary>{summary}</summary>
      {wasOpened && children()}
    </details>
  );
}
