/** The file of friction events that the environment names; a replay asks neither clock, environment nor disk. */
import { expect, it } from "vitest";
import { createMemoryHost } from "../../support/memory-host.ts";
import { recordAndReplayScript } from "../../support/replay-script.ts";

const script = `
  let first = friction_record({kind: "tool_gap", summary: "no linter, token=abc"})
  let second = friction_record(first.event + {id: "second"}, {enabled: false})
  println([first.sink, second.sink, first.event.id, first.event.timestamp])
  println(context_pack_suggestions([first.event, first.event])[0].created_at != nil)
  println(file_exists("logs/friction.jsonl"))`;

it("HARN_FRICTION_LOG names a file of JSON lines", async () => {
  const host = createMemoryHost({ env: { HARN_FRICTION_LOG: "logs/friction.jsonl" } });
  const { recorded, replayed } = await recordAndReplayScript(
    `${script}
    println(json_parse(read_lines("logs/friction.jsonl")[0]).redacted_summary)
    println(len(read_lines("logs/friction.jsonl")))`,
    host,
  );
  expect(recorded.error).toBe("");
  expect(recorded.stdout).toContain("[jsonl, disabled, friction_");
  expect(recorded.stdout).toContain("true\ntrue\nno linter, [redacted]\n1\n");
  expect(replayed.stdout).toBe(recorded.stdout);
});

it("is in memory only without it", async () => {
  const { recorded, replayed } = await recordAndReplayScript(script);
  expect(recorded.stdout).toContain("[memory, disabled, friction_");
  expect(recorded.stdout).toContain("true\nfalse\n");
  expect(replayed.stdout).toBe(recorded.stdout);
});

it("takes no longer than its text is long to hide secrets", async () => {
  const { recorded } = await recordAndReplayScript(`
    for text in ["token".repeat(40000), "x=\\"".repeat(40000), "a-".repeat(100000), "secret: ".repeat(20000), "=".repeat(100000)] {
      friction_event({kind: "tool_gap", summary: text})
    }
    println("done")`);
  expect(recorded.stdout).toBe("done\n");
}, 5000);
