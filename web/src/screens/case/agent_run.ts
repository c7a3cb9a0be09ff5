// A run of a benchmark's task, out of its calls: what was asked, and everything that was said and done. Pure.
import type { Effect, Message } from '../../api/types';
import { listOf, objectOf, textOf } from './material';
import type { Turn } from './conversation';

const turn = (message: Message, calls: unknown[] = []): Turn => ({ speaker: '', number: null, message, calls });

// Each request to a model holds what was said before: the last of a sitting holds all of it.
function sittings(effects: Effect[]): Effect[] {
  const last = new Map<string, Effect>();
  for (const effect of effects) if (effect.kind === 'model') last.set(effect.step.split('/')[0] ?? '', effect);
  return [...last.values()];
}

const messagesIn = (value: unknown): Message[] => listOf(value).map((one) => objectOf(one) as unknown as Message).filter(({ role }) => typeof role === 'string');

function modelTurns(effect: Effect): Turn[] {
  const { message } = objectOf(effect.reply);
  return [...messagesIn(objectOf(effect.request)['messages']), ...messagesIn(message === undefined ? [] : [message])].map((one) => turn(one));
}

// PromptQL: the newest request holds the messages of the user; each reply holds the actions that answer the last one.
function promptqlTurns(effect: Effect): Turn[] {
  const asked = listOf(objectOf(objectOf(effect.request)['body'])['interactions']).map((one) => textOf(objectOf(objectOf(one)['user_message'])['text']));
  const actions = listOf(objectOf(effect.reply)['assistant_actions']).map(objectOf);
  return [
    turn({ role: 'user', text: asked.at(-1) ?? '' }),
    ...actions.map((action) => {
      const { message, plan, code, code_output, code_error } = action;
      const words = [textOf(message), plan ? `Plan:\n${textOf(plan)}` : ''].filter(Boolean).join('\n\n');
      const call = { tool: 'code', arguments: code, ...(code_output ? { result: code_output } : {}), ...(code_error ? { error: code_error } : {}) };
      return turn({ role: 'assistant', text: words }, code ? [call] : []);
    }),
  ];
}

export function agentTurns(effects: Effect[]): Turn[] {
  const models = sittings(effects).flatMap(modelTurns);
  return models.length > 0 ? models : effects.filter(({ kind }) => kind === 'promptql').flatMap(promptqlTurns);
}

export const questionOf = (turns: Turn[]): string => turns.find(({ message }) => message.role === 'user')?.message.text ?? '';
