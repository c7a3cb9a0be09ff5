// A model endpoint in OpenAI's protocol that answers as the test says: for what no simulator would do.
import { createServer } from 'node:http';

// `answer(body, number)` gives `{ content }`, `{ tool }` (arguments of a call of the tool that was forced) or `{ status, error }`,
// and any member of the reply beside it: `finish_reason`, `id`, …; `bodies` has what was asked.
export async function endpoint(t, answer) {
  const bodies = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const { status = 200, error, content = null, tool, finish_reason = 'stop', ...rest } = answer(body, bodies.push(body));
    const message = { role: 'assistant', content: typeof content === 'string' || content === null ? content : JSON.stringify(content) };
    if (tool !== undefined) message.tool_calls = [{ id: 'call_1', type: 'function', function: { name: body.tool_choice?.function?.name ?? 'answer', arguments: JSON.stringify(tool) } }];
    const reply = error ? { error } : { model: 'tested-1', choices: [{ index: 0, message, finish_reason }], usage: { prompt_tokens: 10, completion_tokens: 5 }, ...rest };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => { server.close(); server.closeAllConnections?.(); });
  return { bodies, env: { OPENAI_API_KEY: 'test-key-5e0c', OPENAI_BASE_URL: `http://127.0.0.1:${server.address().port}/v1` } };
}
