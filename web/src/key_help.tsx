import { useEffect, useRef } from 'preact/hooks';
import { keysNow } from './keys';

// What the keys do on the screen that is shown.
export function KeyHelp({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const keys = useRef(keysNow());
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={close}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {keys.current.map(({ key, does }) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>)}
        <div><dt><kbd>Tab</kbd></dt><dd>next link, button or field</dd></div>
        <div><dt><kbd>↑ ↓</kbd></dt><dd>row by row, in a table of cases; <kbd>Enter</kbd> opens</dd></div>
        <div><dt><kbd>Esc</kbd></dt><dd>close this</dd></div>
      </dl>
      <button type="button" class="plain" onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
