// A conversation with a model: messages by role, tool calls with their arguments and results.
import type { Message, ToolCall } from '../../api/types';
import { titleWords } from '../../figures/words';
import { Block, Inline, Text } from '../../text/text';
import { Json, Value } from '../../text/value';
import { listOf, objectOf, textOf } from './material';

function Call({ call }: { call: ToolCall }) {
  return (
    <div class="tool-call">
      <p><span class="role">calls</span> <code><Inline of={call.name} /></code></p>
      {call.arguments !== undefined ? <Json of={call.arguments} /> : <Block of={call.arguments_text ?? ''} />}
    </div>
  );
}

// An answer that is JSON reads better with its lines.
function Said({ text }: { text: string }) {
  if (/^\s*[[{]/.test(text)) {
    try {
      return <Json of={JSON.parse(text) as unknown} />;
    } catch {
      // It only looks like it.
    }
  }
  return <Block of={text} />;
}

// `speaker` is who said it, where more is known than the role; `calls` are tool calls that came with their results.
export function MessageView({ message, speaker = '', calls = [] }: { message: Message; speaker?: string; calls?: unknown[] }) {
  const role = speaker || (message.role === 'tool' ? `Result of ${message.tool_call_id ?? 'a tool'}` : titleWords(message.role));
  return (
    <article class={`message ${['system', 'user', 'assistant', 'tool'].includes(message.role) ? message.role : 'other'}`}>
      <p class="role"><Text of={role} />{message.is_error && <span class="severity error"> error</span>}</p>
      {message.reasoning !== undefined && message.reasoning !== '' && <details class="reasoning"><summary>Reasoning</summary><Block of={message.reasoning} className="note" /></details>}
      {message.text !== undefined && message.text !== '' && <Said text={message.text} />}
      {(message.tool_calls ?? []).map((call, i) => <Call key={i} call={call} />)}
      {calls.length > 0 && <ToolCalls calls={calls} />}
      {!message.text && !message.tool_calls?.length && calls.length === 0 && <p class="note">empty</p>}
    </article>
  );
}

export const messagesOf = (value: unknown): Message[] => listOf(value).map((one) => objectOf(one) as unknown as Message).filter((one) => typeof one.role === 'string');

// Calls as an agent's trace holds them: {tool, arguments, result}, or with a tool_id.
export function ToolCalls({ calls }: { calls: unknown[] }) {
  return (
    <ol class="trace">
      {calls.map((one, i) => {
        const { tool, tool_id, name, arguments: given, result, error, ...rest } = objectOf(one);
        return (
          <li key={i}>
            <p><code><Inline of={textOf(tool ?? tool_id ?? name)} /></code></p>
            {given !== undefined && <><p class="role">arguments</p><Value of={given} /></>}
            {result !== undefined && <><p class="role">result</p><Value of={result} /></>}
            {error !== undefined && <><p class="role">error</p><Value of={error} /></>}
            {Object.keys(rest).length > 0 && <Value of={rest} />}
          </li>
        );
      })}
    </ol>
  );
}
