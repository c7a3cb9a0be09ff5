// Scores answers for Assay: one JSON line in, one JSON line out, until standard input ends. The same scores as score.py.
// Try it: echo '{"id": "1", "fields": {"reference": "within 14 days"}, "output": "You have 14 days."}' | node score.mjs
import { createInterface } from "node:readline";

const words = (text) => new Set(String(text).split(/\s+/).map((word) => word.replace(/^[.,;:!?]+|[.,;:!?]+$/g, "").toLowerCase()));

function score({ fields, output }) {
  if (fields.reference === undefined) throw new Error("the case has no reference");
  const wanted = words(fields.reference);
  const said = words(output);
  const missing = [...wanted].filter((word) => !said.has(word)).sort();
  const covered = 1 - missing.length / wanted.size;
  const short = String(output).split(/\s+/).length <= 120 ? 1 : 0;
  return { score: covered, scores: { covered, short }, reason: missing.length ? `missing: ${missing.join(", ")}` : "all is said" };
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  let reply;
  try {
    reply = score(question);
  } catch (error) {
    reply = { error: `${error.name}: ${error.message}` }; // costs this answer, and no other
  }
  console.log(JSON.stringify({ id: question.id, ...reply }));
}
