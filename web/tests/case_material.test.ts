import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextsOf, isContexts } from '../src/screens/case/contexts';
import { isConversation, turnsOf } from '../src/screens/case/conversation';
import { htmlText } from '../src/text/html_text';

test('events are turns with who spoke and the number that judges point to; a status is none', () => {
  const events = [
    { event_kind: 'message', event_source: 'user', data: { participant: 'Ada', message: 'Flat tyre.' } },
    { event_kind: 'status', event_source: 'ai_agent', data: {} },
    { event_kind: 'tool', event_source: 'ai_agent', data: { tool_calls: [{ tool_id: 'prices:find', arguments: { item: 'tube' }, result: { eur: 8 } }] } },
    { event_kind: 'message', event_source: 'frontend_application', data: { message: 'Page opened.' } },
  ];
  assert.ok(isConversation(events));
  assert.deepEqual(turnsOf(events).map(({ speaker, number, message, calls }) => [speaker, number, message.role, message.text, calls.length]), [
    ['Ada, user', 0, 'user', 'Flat tyre.', 0], ['ai agent', 1, 'tool', '', 1], ['frontend application', 2, 'system', 'Page opened.', 0],
  ]);
});

test('messages of both forms of API are turns with their calls', () => {
  const turns = turnsOf([
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'price', arguments: '{"item": "tube"}' } }, { id: 'c2', function: { name: 'price', arguments: '{"it' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '8' },
    { role: 'assistant', content: [{ type: 'text', text: 'One moment.' }, { type: 'tool_use', id: 'u', name: 'slots', input: { days: 2 } }] },
  ]);
  assert.deepEqual(turns[0]?.message.tool_calls, [{ id: 'c1', name: 'price', arguments: { item: 'tube' } }, { id: 'c2', name: 'price', arguments_text: '{"it' }]);
  assert.deepEqual([turns[1]?.message.tool_call_id, turns[1]?.message.text], ['c1', '8']);
  assert.deepEqual([turns[2]?.message.text, turns[2]?.message.tool_calls?.[0]?.name], ['One moment.', 'slots']);
});

test('what is no conversation is left to others', () => {
  assert.deepEqual([isConversation([]), isConversation('user'), isConversation([{ role: 'user' }, 'x']), isConversation([{ id: 1 }])], [false, false, false, false]);
});

test('a context has a title, a path and a text without tags', () => {
  assert.deepEqual(contextsOf([{ title: 'Passports', heading_hierarchy: ['Renewing'], exact_path: '/p#r', html_content: '<h2>Renewing</h2><p>Apply <a href="/x">online</a> &amp; pay.</p>' }, 'Plain text <b>', { odd: 1 }]), [
    { title: 'Passports › Renewing', path: '/p#r', about: '', text: 'Renewing\n\nApply online & pay.' },
    { title: '', path: '', about: '', text: 'Plain text <b>' },
    { title: '', path: '', about: '', text: '{\n  "odd": 1\n}' },
  ]);
  assert.deepEqual([isContexts('structured_contexts', ['x']), isContexts('contexts', []), isContexts('question', ['x'])], [true, false, false]);
});

test('the words of HTML stand in lines; what only looks like a tag stays', () => {
  assert.equal(htmlText('<ul><li>one</li>\n<li>two</li></ul><script>alert(1)</script>'), '• one\n• two');
  assert.equal(htmlText('a &lt;b&gt; &#233; &#x1F600; &unknown; 1 < 2'), 'a <b> é 😀 &unknown; 1 < 2');
});
