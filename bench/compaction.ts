/**
 * What it costs us to compact a conversation of 2,000 messages, without the model's own time: measured in processor time,
 * because the work is one synchronous stretch. Every strategy; a fresh conversation each time.
 */
import { loopCompactionOf } from "../src/agent/options/compaction-loop-options.ts";
import type { CompactionOptions } from "../src/agent/options/compaction-options.ts";
import { Conversation } from "../src/model/conversation/conversation.ts";
import { Dict } from "../src/values/index.ts";
import { wordsPassed } from "../test/support/ladder-pass.ts";
import { median, printRows, type Row } from "./rows.ts";

const turns = 1000;

/** A task, then turns of one call and a result of 1,500 characters. */
function conversation(): Conversation {
  const made = new Conversation("bench");
  made.append({ role: "user", content: "Tidy the repository." });
  for (let n = 0; n < turns; n++) {
    const id = `call_${n}`;
    const tool_calls = [{ id, name: "read", arguments: { path: `src/file_${n}.ts` } }];
    made.append({ role: "assistant", content: `Looking at file ${n}.`, tool_calls });
    const content = `[result of read]\nline ${n}\n${"x".repeat(1500)}\n[end of read result]\n`;
    made.append({ role: "tool", tool_call_id: id, name: "read", content });
  }
  return made;
}

async function timeOnce(options: CompactionOptions): Promise<number> {
  const made = conversation();
  const start = process.cpuUsage();
  const passed = await wordsPassed(made, options, () => ({ ok: true, text: "What happened so far." }));
  if (passed === null) throw new Error("nothing was compacted");
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const strategy of ["hybrid", "truncate", "observation_mask"]) {
    const read = loopCompactionOf(Dict.of({ compaction: strategy }), "bench");
    if (read === null) throw new Error(strategy);
    const options = { ...read, threshold: 0, toolOutputMaxChars: 16_000 };
    const times: number[] = [];
    for (let n = 0; n < 12; n++) times.push(await timeOnce(options));
    rows.push({ name: `2,000 messages, ${strategy}`, value: median(times), unit: "ms", target: "<= 20 ms" });
  }
  return rows;
}

if (import.meta.main) printRows("compaction", await run());
