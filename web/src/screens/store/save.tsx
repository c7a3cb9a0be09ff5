// What the server gives as a file: fetched with the token and kept by the browser.
import { useState } from 'preact/hooks';
import { getBlob, type Refusal } from '../../api/client';
import { Trouble } from '../../api/loading';
import { saveAddress } from '../../plots/drawing';

export interface SaveFile { words: string; help: string; name: string; path: string }

export function SaveButtons({ files }: { files: SaveFile[] }) {
  const [under, setUnder] = useState('');
  const [problem, setProblem] = useState<Refusal>();
  const save = ({ name, path }: SaveFile): void => {
    setUnder(name);
    getBlob(path).then((blob) => {
      const address = URL.createObjectURL(blob);
      saveAddress(name, address);
      setTimeout(() => URL.revokeObjectURL(address), 60_000);  // the browser reads it after the click
      setProblem(undefined);
    }).catch((error: unknown) => setProblem(error as Refusal)).finally(() => setUnder(''));
  };
  return (
    <>
      <p class="files">{files.map((file) => <button key={file.name} type="button" class="plain" title={file.help} disabled={under === file.name} onClick={() => save(file)}>{file.words} <span aria-hidden="true">↓</span></button>)}</p>
      {problem && <Trouble problem={problem} />}
    </>
  );
}
