/** Contracts over folders with more files than are counted: what can be said is said, what can't be guarded is refused. */
// suite: slow
import { expect, test } from "vitest";
import { runScript } from "../../../support/run-script.ts";

const opened = `
mkdir("w")
mkdir("few")
for n in range(10001) { write_file("w/f\${n}.txt", "x") }
write_file("few/one.txt", "x")
agent_session_open("s")
fn check(predicate, more = {}) {
  let contract = {goal: "g", required_outputs: [{id: "it", description: "d", predicate: predicate}]} + more
  agent_contract_set("s", contract, "to look")
  for one in agent_contract_check("s").coverage { println("\${one.status}: \${one.notes} [\${len(one.evidence)}]") }
}
fn refused(run) { println(unwrap_err(try { run() })) }
`;

test("counting ends at 10,000, and says so", async () => {
  const { stdout, error } = await runScript(`${opened}
check({type: "file_exists", glob: "w/*.txt", min_count: 3})
check({type: "contains_text", in: "files", path: "w/*.txt", pattern: "y"})
check({type: "file_exists", glob: "few/*.txt", changed: true}, {protect: ["few/**"]})
`);
  expect(error).toBe("");
  expect(stdout.split("\n").slice(0, -1)).toEqual([
    "met: at least 10000 files fit w/*.txt [3]",
    "unmet: y was not found in the first 10000 files; there are more (w/*.txt) [0]",
    "partially_met: few/*.txt is as it was in the beginning [0]",
    "met: few/** is as it was in the beginning [0]",
  ]);
});

test("more files than can be watched are no guard", async () => {
  const { stdout } = await runScript(`${opened}
refused({ -> check({type: "file_exists", glob: "w/*.txt", changed: true}) })
refused({ -> check({type: "always_true"}, {protect: ["w/**"]}) })
println(agent_contract("s"))
refused({ -> agent_loop("x", nil, {provider: "mock", contract: {goal: "g", protect: ["w/**"]}}) })
`);
  const guarded = (caller: string, id: string, glob: string): string =>
    `${caller}: the files that \`contract\` guards can't be looked at: \`${id}\`: ${glob} fits more than 10000 files; name those that it is about`;
  expect(stdout.split("\n").slice(0, -1)).toEqual([
    guarded("agent_contract_set", "it", "w/*.txt"),
    guarded("agent_contract_set", "protect:w/**", "w/**"),
    "nil",
    guarded("agent_loop", "protect:w/**", "w/**"),
  ]);
});
