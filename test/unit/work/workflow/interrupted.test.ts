/** Workflows that are broken off anywhere: stages that were done are not done again, by the journal or by the run's file. */
// suite: slow
// long: tortures
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../../src/builtins/index.ts";
import { hermeticHost } from "../../../../src/host/index.ts";
import { differences, experiment, type Subject } from "../../../../src/tools/torture/experiment.ts";
import { faultsFor } from "../../../../src/tools/torture/faults.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { recordAndReplayScript } from "../../../support/replay-script.ts";
import { compileScript } from "../../../support/run-script.ts";

/** Models, a map over models, a join, and what was written of it. */
const flow = `
for text in ["the draft", "mended", "one", "two"] { llm_mock({text: text}) }
let g = {name: "w", entry: "act", nodes: {
  act: {prompt: "Do it"},
  look: {kind: "condition", metadata: {contains_text: "draft"}},
  fix: {kind: "repair", prompt: "Mend"},
  split: {kind: "fork"},
  items: {kind: "map", mode: "llm", map_policy: {items: ["a", "b"], max_concurrent: 2}},
  aside: {kind: "escalation"},
  meet: {kind: "join"},
  all: {kind: "reduce"},
}, edges: [
  {from: "act", to: "look"}, {from: "look", to: "fix", branch: "true"}, {from: "fix", to: "split"},
  {from: "split", to: "items"}, {from: "split", to: "aside"}, {from: "items", to: "meet"}, {from: "aside", to: "meet"},
  {from: "meet", to: "all"},
]}
let r = workflow_execute("write a thing", g, [], {persist_path: "run.json"})
for s in r.run.stages { println("\${s.id} \${s.outcome} \${s.visible_text} \${s.finished_at}") }
println(run_record_load("run.json") == r.run)
println(len(llm_mock_calls()))
`;

/** Signals, an update that another task answers, queries, a new generation. */
const mailbox = `
workflow.signal("w", "a", 1)
workflow.signal("w", "b", 2)
for n in [1, 2] {
  let message = workflow.receive("w")
  println("\${message.name} \${message.payload}")
}
println(workflow.receive("w"))
let asked = spawn { workflow.update("w", "add", {by: 3}) }
var request = nil
while request == nil {
  sleep(10)
  request = workflow.receive("w")
}
workflow.respond_update("w", request.request_id, {total: request.payload.by})
println(await(asked))
workflow.publish_query("w", "x", 1)
workflow.publish_query("w", "y", 2)
workflow.signal("w", "kept")
let status = workflow.continue_as_new("w")
println("\${status.pending_count} \${status.query_count} \${status.continue_as_new_count} \${status.generation}")
`;

/** Runs a script with every fault at every effect, going on from its journal: what came out differently. */
async function tortured(script: string): Promise<{ stdout: string; effects: number; found: string[] }> {
  const { program } = compileScript(script);
  if (program === undefined) throw new Error("it compiles");
  const subject: Subject = {
    program,
    path: "main.harn",
    args: [],
    flags: {},
    builtins: new Map(builtinTable()),
    machine: () => hermeticHost(),
  };
  const reference = await experiment(subject, undefined);
  const found: string[] = [];
  for (const [index, effect] of reference.classes.entries()) {
    for (const fault of faultsFor(effect)) {
      const execution = await experiment(subject, { step: index + 1, fault });
      found.push(...differences(reference, execution, fault));
    }
  }
  return { stdout: reference.stdout, effects: reference.classes.length, found };
}

describe("a workflow that is broken off", () => {
  it("comes to the same end from its journal, whatever effect it was broken off at", async () => {
    const { stdout, effects, found } = await tortured(flow);
    expect(stdout).toContain("reduced mended\n\none\n\ntwo");
    expect(effects).toBeGreaterThan(12);
    expect(found).toEqual([]);
  });

  it("its mailbox loses nothing and does nothing twice", async () => {
    const { stdout, found } = await tortured(mailbox);
    expect(stdout).toBe("a 1\nb 2\nnil\n{total: 3}\n1 2 1 2\n");
    expect(found).toEqual([]);
  });

  it.each([flow, mailbox])("replays without any outside, in another folder", async (script) => {
    const elsewhere = Object.assign(createMemoryHost(), { cwd: "/recorded/here" });
    elsewhere.files.makeDir(elsewhere.cwd);
    const { recorded, replayed } = await recordAndReplayScript(
      `${script}\nprintln(workflow.status("w").base_dir)`,
      elsewhere,
    );
    expect(recorded.error).toBe("");
    expect(recorded.stdout).toContain("/recorded/here/");
    expect(replayed).toMatchObject({ stdout: recorded.stdout, exitCode: 0, guarded: { kind: "ended" } });
  });

  it("goes on from any state of its file, and no model is asked what it has answered", async () => {
    const files: string[] = [];
    const host = createMemoryHost();
    const write = host.files.write.bind(host.files);
    host.files.write = (path, text) => {
      if (path.endsWith("run.json")) files.push(String(text));
      write(path, text);
    };
    const { recorded } = await recordAndReplayScript(flow, host);
    const whole = endsOf(recorded.stdout);
    expect(files.length).toBe(10);
    for (const [done, file] of files.entries()) {
      const machine = createMemoryHost();
      machine.files.write(`${machine.cwd}/run.json`, file);
      const script = flow
        .replace('["the draft", "mended", "one", "two"]', JSON.stringify(answersLeft(file)))
        .replace(
          'workflow_execute("write a thing", g, [], {persist_path: "run.json"})',
          'workflow_execute("", g, [], {resume_path: "run.json"})',
        );
      const { recorded: resumed } = await recordAndReplayScript(script, machine);
      expect(resumed.error, `checkpoint ${done}`).toBe("");
      expect(endsOf(resumed.stdout), `checkpoint ${done}`).toEqual(whole);
      expect(resumed.stdout.trim().split("\n").at(-1)).toBe(String(answersLeft(file).length));
    }
  });
});

/** Stages without what is of one process: ids and times. */
const endsOf = (stdout: string): string[] =>
  [...stdout.matchAll(/^run_[^:]+:(\S+) (.*) \S+$/gm)].map((line) => `${line[1]} ${line[2]}`);

/** What models still have to say to a run. */
function answersLeft(file: string): string[] {
  const done: string[] = JSON.parse(file).completed_nodes;
  return [
    ...(done.includes("act") ? [] : ["the draft"]),
    ...(done.includes("fix") ? [] : ["mended"]),
    ...(done.includes("items") ? [] : ["one", "two"]),
  ];
}
