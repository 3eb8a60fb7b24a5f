/** `harn why`: a recorded run is asked why, through the real launcher. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("why");

/** Tells on standard output that a tool runs: a replay must not. */
const program = `
let tools = tool_define(tool_registry(), "look", "Looks.", {parameters: {n: "int"}, handler: { a -> println("looking"); "result of \${a.n}: " + ("x" * 400) }})
for turn in 1 to 8 { llm_mock({tool_calls: [{name: "look", arguments: {n: turn}}]}) }
llm_mock({text: "end"})
agent_loop("The task.", "Be short.", {provider: "mock", session_id: "s", tools: tools, tool_format: "native", compact_threshold: 600, compaction: {strategy: "truncate", keep_last_n: 4}})
`;

let options: { cwd: string; env: Record<string, string> };

beforeEach(async () => {
  const folder = freshFolder();
  options = { cwd: folder, env: { HARN_STATE_DIR: join(folder, "state") } };
  writeFileSync(join(folder, "w.harn"), program);
  expect((await harnHere(["run", "w.harn"], options)).status).toBe(0);
});

const why = async (...flags: string[]): Promise<string> => {
  const { stdout, stderr, status } = await harnHere(["why", "last", ...flags], options);
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout;
};

test("a run says how it ended, and answers for turns, messages, texts and tools", async () => {
  expect(await why()).toBe(`the loop l1 ended done (natural) after 9 turns
├─ row 16 of the stop table: everything had passed
└─ the runtime intervened 3 times besides
   ├─ turn 7: compaction/threshold: 8 messages went out of view (truncate) [1]
   │  ├─ before: 696
   │  ├─ after: 736
   │  ├─ plan_version: 1
   │  └─ messages msg_14
   ├─ turn 8: compaction/threshold: 3 messages went out of view (truncate) [2]
   │  ├─ before: 852
   │  ├─ after: 859
   │  ├─ plan_version: 2
   │  └─ messages msg_17
   └─ turn 9: compaction/threshold: 3 messages went out of view (truncate) [3]
      ├─ before: 974
      ├─ after: 872
      ├─ plan_version: 3
      └─ messages msg_20
`);
  expect(await why("--missing", "msg_4")).toBe(`msg_4 is not in the request of turn 9: summarized
├─ summarized in turns 7 to 9 (l1)
└─ one of 8 messages summarized into msg_14 at plan version 1 (extractive)
`);
  expect(await why("--turn", "7")).toContain("the view was changed: plan version 0 to 1");
  expect(await why("--message", "msg_3", "--depth", "1")).toMatch(
    /^msg_3 is result of look .*\n└─ … 3 more \(--depth, --json\)\n$/,
  );
  expect(await why("--text", "Be short")).toContain(
    "system:caller from caller (a part of the system text), since turn 1  [found by text]",
  );
  expect(await why("--tool", "look")).toContain("the model was told of it in every request");
  const json = JSON.parse(await why("--message", "msg_3", "--json"));
  expect(json).toMatchObject({
    claim: expect.stringContaining("msg_3"),
    certainty: "known",
    because: expect.any(Array),
  });
});

test("what does not exist is an error that says which there are", async () => {
  const refused = (...flags: string[]) => harnHere(["why", "last", ...flags], options);
  expect(await refused("--message", "msg_99")).toMatchObject({ status: 1, stdout: "" });
  expect((await refused("--message", "msg_99")).stderr).toContain(
    "session 's' has no message 'msg_99'; there are msg_1",
  );
  expect((await refused("--turn", "40")).stderr).toContain("has no turn 40; there are 1, 2");
  expect((await refused("--session", "t")).stderr).toContain("no session 't' called a model; there are s");
  expect((await refused("--tool", "grep")).stderr).toContain("there are agent_await_resumption, look");
  expect(await refused("--turn", "x")).toMatchObject({ status: 2 });
  expect((await refused("--message", "msg_1", "--text", "a")).stderr).toContain(
    "one question at a time: --message, --text",
  );
  writeFileSync(join(options.cwd, "plain.harn"), "println(timestamp() > 0)");
  expect((await harnHere(["run", "plain.harn"], options)).status).toBe(0);
  expect((await refused()).stderr).toContain("no agent of this run called a model");
});

test("a record that was cut before the first model call says that it ends early", async () => {
  const store = new DatabaseSync(join(options.env.HARN_STATE_DIR as string, "state.db"));
  store.exec("DELETE FROM record WHERE seq > 2; UPDATE run SET ended = NULL, reason = NULL, written = NULL");
  store.close();
  expect(await harnHere(["why", "last"], options)).toMatchObject({ status: 1, stdout: "" });
  expect((await harnHere(["why", "last"], options)).stderr).toBe(
    "harn: the record ends early: up to there no agent had called a model (HARN-CLI-005)\n",
  );
});
