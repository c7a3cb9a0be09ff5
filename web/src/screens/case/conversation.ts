// The conversation that a case is about, as turns: events with their source, or messages as providers write them. Pure.
import type { Message, ToolCall } from '../../api/types';
import { plainWords } from '../../figures/words';
import { listOf, objectOf, textOf } from './material';

// `number` is the place by which judges point to a turn; `calls` are tool calls together with what they gave.
export interface Turn { speaker: string; number: number | null; message: Message; calls: unknown[] }

const sides: Record<string, string> = { user: 'user', customer: 'user', ai_agent: 'assistant', assistant: 'assistant', human_service_agent: 'assistant' };

const isEvent = (value: unknown): boolean => typeof objectOf(value)['event_kind'] === 'string';
const isMessage = (value: unknown): boolean => typeof objectOf(value)['role'] === 'string';

export function isConversation(value: unknown): boolean {
  const turns = listOf(value);
  return turns.length > 0 && (turns.every(isEvent) || turns.every(isMessage));
}

function eventTurn(value: unknown, number: number): Turn {
  const event = objectOf(value);
  const data = objectOf(event['data']);
  const source = textOf(event['event_source']);
  const participant = textOf(data['participant']);
  return {
    speaker: participant ? `${participant}, ${plainWords(source)}` : plainWords(source),
    number,
    message: { role: event['event_kind'] === 'tool' ? 'tool' : sides[source] ?? 'system', text: textOf(data['message']) },
    calls: listOf(data['tool_calls']),
  };
}

function parsedCall(id: unknown, name: unknown, given: unknown): ToolCall {
  if (typeof given !== 'string') return { id: textOf(id), name: textOf(name), arguments: given ?? {} };
  try {
    return { id: textOf(id), name: textOf(name), arguments: JSON.parse(given) as unknown };
  } catch {
    return { id: textOf(id), name: textOf(name), arguments_text: given };
  }
}

function messageTurn(value: unknown): Turn {
  const given = objectOf(value);
  const parts = listOf(given['content']).map(objectOf);
  const texts = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : part['type'] === 'tool_result' ? [textOf(part['content'])] : []));
  const uses = parts.filter((part) => part['type'] === 'tool_use').map((part) => parsedCall(part['id'], part['name'], part['input']));
  const functions = listOf(given['tool_calls']).map(objectOf).map((call) => {
    const { name, arguments: asked } = 'function' in call ? objectOf(call['function']) : call;
    return parsedCall(call['id'], name, asked);
  });
  const role = textOf(given['role']);
  return {
    speaker: role === 'tool' ? '' : textOf(given['name']),
    number: null,
    message: {
      role, text: parts.length > 0 ? texts.join('\n\n') : textOf(given['content'] ?? given['text']), tool_calls: [...functions, ...uses],
      ...(given['tool_call_id'] === undefined ? {} : { tool_call_id: textOf(given['tool_call_id']) }),
    },
    calls: [],
  };
}

// Events of the kind `status` are not numbered, and nobody said anything by them.
export function turnsOf(value: unknown): Turn[] {
  const given = listOf(value);
  if (!given.every(isEvent)) return given.map(messageTurn);
  return given.filter((event) => objectOf(event)['event_kind'] !== 'status').map(eventTurn);
}
