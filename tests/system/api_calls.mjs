// Calls of the results API, each answer held against the service's own description of it.
import assert from 'node:assert/strict';
import { assertDescribed } from './openapi.mjs';

export async function apiOf(running) {
  const base = new URL(running.base).origin;
  const document = await (await fetch(`${base}/openapi.json`)).json();
  const call = async (method, path, body) => {
    const answer = await fetch(base + path, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
    if (json) assertDescribed(document, method, path, { status: answer.status, json });
    return { status: answer.status, text, json };
  };
  const good = async (method, path, body) => {
    const answer = await call(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json ?? answer.text;
  };
  return { call, good };
}
