// Input files of the benchmarks, made once each.
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';

export async function lines(directory, name, count, row) {
  const path = join(directory, name);
  if (existsSync(path)) return path;
  const out = createWriteStream(path);
  let buffer = '';
  for (let i = 0; i < count; ++i) {
    buffer += `${JSON.stringify(row(i))}\n`;
    if (buffer.length > 1 << 20) {
      if (!out.write(buffer)) await once(out, 'drain');
      buffer = '';
    }
  }
  out.end(buffer);
  await once(out, 'close');
  return path;
}

const labels = ['genuine_rag', 'unclear_intent', 'greetings', 'about_chat', 'character_fun', 'non_english'];
// A question that was routed, rightly or not.
export const routed = (i) => ({
  question: `Question number ${i}: how long does it take to renew a passport for a child who lives abroad with one parent?`,
  expected_outcome: labels[i % 6], actual_outcome: labels[(i % 7 === 0 ? i + 1 : i) % 6], confidence_score: (i % 100) / 100,
});
// A question with the answer that is to be judged.
export const answered = (i) => ({ id: `c${i}`, question: `How do I renew permit ${i}?`, llm_answer: `You renew permit ${i} online. It takes ${i % 30} days.` });
// A question with the answers of two systems and what they should have said.
export const said = (i) => ({
  id: `c${i}`, question: `How long does permit ${i} take?`, reference: `${i % 30} days`,
  old: `You apply for permit ${i} online. It takes ${(i % 5 === 0 ? i + 1 : i) % 30} days.`, new: `Permit ${i}: ${(i % 7 === 0 ? i + 2 : i) % 30} days, counted from the day on which all papers are there.`,
});
