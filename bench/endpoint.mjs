// The benchmark's own endpoint (endpoint.cc) and the floor under every client of it (floor.cc).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tool } from './program.mjs';

export async function startEndpoint(latency = 0) {
  const child = spawn(tool('endpoint'), ['--latency', String(latency)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () => child.kill('SIGKILL');
  process.on('exit', end);
  let text = '';
  child.stdout.on('data', (chunk) => { text += chunk; });
  const closed = once(child, 'close');
  while (!text.includes('\n')) await Promise.race([once(child.stdout, 'data'), closed.then(() => { throw new Error('the endpoint did not start'); })]);
  const url = /http:\S+/.exec(text)[0];
  return {
    url,
    env: { OPENAI_API_KEY: 'bench', OPENAI_BASE_URL: `${url}/v1` },
    // Ends it and gives its account: requests, connections, body_bytes, refused, cpu_seconds.
    async stop() {
      child.kill('SIGTERM');
      await closed;
      process.off('exit', end);
      return JSON.parse(text.trim().split('\n').at(-1));
    },
  };
}

// Runs `work` against an endpoint of its own, which must be asked exactly `calls` times: one more would be a retry or a
// repair, and the figures those of something else.
export async function against(latency, calls, work) {
  const endpoint = await startEndpoint(latency);
  let result;
  try {
    result = await work(endpoint);
  } catch (error) {
    await endpoint.stop();
    throw error;
  }
  const account = await endpoint.stop();
  if (account.requests !== calls || account.refused !== 0) throw new Error(`expected ${calls} requests, the endpoint tells ${JSON.stringify(account)}`);
  return { ...result, endpoint: account };
}

// Wall and CPU seconds of bare libcurl for so many calls with bodies of that size.
export const floor = (calls, inFlight, bodyBytes) => against(0, calls, ({ url }) => JSON.parse(
  execFileSync(tool('floor'), [`${url}/v1/chat/completions`, String(calls), String(inFlight), String(Math.round(bodyBytes))], { encoding: 'utf8' })));
