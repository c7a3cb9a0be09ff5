// How a case ended, as a mark: what did not end well is red.
import { plainWords } from '../../figures/words';
import { Inline } from '../../text/text';
import { endedWell, isUnderWay } from './ended';

export const EndedMark = ({ ended }: { ended: string }) => <span class={`outcome ${isUnderWay(ended) ? 'live' : endedWell(ended) ? 'pass' : 'fail'}`}><Inline of={plainWords(ended)} /></span>;
