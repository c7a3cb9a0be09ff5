import { useState } from 'preact/hooks';
import { useTitle } from '../parts';

// Asked for once; the browser keeps it until the tab is closed.
export function TokenScreen({ refused, give }: { refused: boolean; give: (token: string) => void }) {
  const [typed, setTyped] = useState('');
  useTitle('Token');
  return (
    <main id="main" class="token">
      <h1>Assay</h1>
      <form onSubmit={(event) => { event.preventDefault(); if (typed.trim()) give(typed.trim()); }}>
        <label for="token">Token</label>
        <input id="token" type="password" autocomplete="off" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} autofocus aria-describedby="token-note" />
        <button type="submit" class="plain strong">Show the runs</button>
        {refused && <p class="trouble" role="alert">This token was not accepted.</p>}
        <p id="token-note" class="note">Data are shown to holders of a token only. It stays in this tab and goes to this server alone.</p>
      </form>
    </main>
  );
}
