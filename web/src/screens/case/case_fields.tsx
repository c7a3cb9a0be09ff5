// Fields of a case: conversations as transcripts, contexts as texts with their titles, the rest as values.
import type { ComponentChild } from 'preact';
import { Block, Inline } from '../../text/text';
import { Fields } from '../../text/value';
import { contextsOf, isContexts, type Context } from './contexts';
import { isConversation, turnsOf, type Turn } from './conversation';
import type { Field } from './material';
import { MessageView } from './messages';

export function Transcript({ turns }: { turns: Turn[] }) {
  return <div class="transcript">{turns.map(({ speaker, number, message, calls }, i) => <MessageView key={i} message={message} speaker={`${number === null ? '' : `${number} · `}${speaker}`} calls={calls} />)}</div>;
}

function Contexts({ of }: { of: Context[] }) {
  return (
    <ol class="plain-list contexts">
      {of.map(({ title, path, about, text }, i) => (
        <li key={i}>
          {(title || path) && <p>{title && <strong><Inline of={title} /></strong>} {path && <code><Inline of={path} /></code>}</p>}
          {about && <p class="note"><Inline of={about} /></p>}
          <Block of={text} />
        </li>
      ))}
    </ol>
  );
}

function show(name: string, value: unknown): ComponentChild {
  if (isConversation(value)) return <Transcript turns={turnsOf(value)} />;
  if (isContexts(name, value)) return <Contexts of={contextsOf(value)} />;
  return undefined;
}

export const CaseFields = ({ of }: { of: Field[] }) => <Fields of={of} show={show} />;
