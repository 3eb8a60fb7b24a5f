/** `harn hitl`: what is asked is shown whole, an answer is judged when it is given, policies wait for people. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("hitl");

let projects = 0;
function project(script: string): (...args: string[]) => Promise<CliResult> {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), script);
  return (...args) => harnHere(args, { cwd });
}

describe("answers are judged when they are given", () => {
  it("a question with choices takes one of them only, and shows them", async () => {
    const one = project('println(ask_user("Colour?", {schema: {type: "string", enum: ["red", "blue"]}}))');
    expect((await one("run", "a.harn")).status).toBe(75);
    expect((await one("hitl")).stdout).toMatch(/question: Colour\?\n {4}answers: red, blue\n$/);
    expect(JSON.parse((await one("hitl", "list", "--json")).stdout)).toMatchObject({
      choices: ["red", "blue"],
    });
    const wrong = await one("hitl", "answer", "last", "green");
    expect(wrong).toMatchObject({ stdout: "", status: 1 });
    expect(wrong.stderr).toContain("does not fit the schema");
    expect(wrong.stderr).toContain("answers: red, blue\n");
    expect((await one("hitl", "answer", "last", "blue")).status).toBe(0);
    expect(await one("run", "--resume", "last")).toMatchObject({ stdout: "blue\n", status: 0 });
  });

  it("a question with a type takes what reads as one", async () => {
    const one = project('println(ask_user("How many?", {schema: {type: "integer", minimum: 1}}) + 1)');
    expect((await one("run", "a.harn")).status).toBe(75);
    for (const wrong of ["many", "0", "[1]"])
      expect((await one("hitl", "answer", "last", wrong)).status).toBe(1);
    expect((await one("hitl", "answer", "last", "41")).status).toBe(0);
    expect(await one("run", "--resume", "last")).toMatchObject({ stdout: "42\n", status: 0 });
  });

  it("an approval is given by its reviewers only, with yes or no", async () => {
    const one = project(
      'let a = request_approval("deploy", {reviewers: ["ann", "bob"], args: {to: "prod"}})\nprintln("${a.reviewers} ${a.reason}")',
    );
    expect((await one("run", "a.harn")).status).toBe(75);
    const shown = (await one("hitl")).stdout;
    expect(shown).toContain("approval: deploy\n");
    expect(shown).toContain('{"args":{"to":"prod"}}\n');
    expect(shown).toContain("    answers: approve, deny\n    who may answer: ann, bob\n");
    const refused = await one("hitl", "approve", "last", "--reviewer", "eve");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      /eve is not one of those who may answer \(HARN-CLI-028\)\n.*\n {2}answers: approve, deny\n {2}who may answer: ann, bob/,
    );
    expect((await one("hitl", "answer", "last", '{"approved": true, "reviewer": "eve"}')).status).toBe(1);
    expect((await one("hitl", "answer", "last", "perhaps", "--reviewer", "ann")).stderr).toContain(
      "'perhaps' is no answer to it",
    );
    expect((await one("hitl", "approve", "last", "--reviewer", "bob", "--reason", "fine")).status).toBe(0);
    expect(await one("run", "--resume", "last")).toMatchObject({ stdout: "[bob] fine\n", status: 0 });
  });
});

const agent = `fn remove(args) {
  write_file("removed.txt", args.path)
  return "removed"
}
var tools = tool_registry()
tools = tool_define(tools, "remove", "Removes a file.", {parameters: {path: "string"}, handler: remove})
llm_mock({tool_calls: [{name: "remove", arguments: {path: "old.log"}}]})
llm_mock({text: "over ##DONE##"})
let r = agent_loop("clean up", nil, {provider: "mock", tools: tools, loop_until_done: true, max_iterations: 4,
  approval_policy: {rules: [{ask: {tool: "remove"}, reason: "removes things", approval: {reviewers: ["ann"]}}]}})
println("\${r.status} \${file_exists("removed.txt")}")`;

describe("what a policy asks for", () => {
  it("waits for a person, who sees the tool, its arguments, the answers and who may give them", async () => {
    for (const [answer, stdout] of [
      ["approve", "done true\n"],
      ["deny", "done false\n"],
    ] as const) {
      const one = project(agent);
      const parked = await one("run", "a.harn", "--quiet");
      expect(parked).toMatchObject({ stdout: "", status: 75 });
      const shown = (await one("hitl")).stdout;
      expect(shown).toContain("permission: may remove run? removes things\n");
      expect(shown).toContain('    tool: remove\n    arguments: {"path":"old.log"}\n');
      expect(shown).toContain("    answers: approve, deny, session\n    who may answer: ann\n");
      expect((await one("hitl", answer, "last")).stderr).toContain("who may answer: ann");
      expect((await one("hitl", answer, "last", "--reviewer", "ann")).status).toBe(0);
      expect(await one("run", "--resume", "last", "--quiet")).toMatchObject({ stdout, status: 0 });
      expect(await one("replay", "last")).toMatchObject({ stdout, status: 0 });
    }
  });

  it("takes other arguments, which the tool's schema judges when they are given", async () => {
    const one = project(agent.replace(', approval: {reviewers: ["ann"]}', ""));
    expect((await one("run", "a.harn", "--quiet")).status).toBe(75);
    const give = async (args: object) =>
      await one("hitl", "answer", "last", JSON.stringify({ decision: "approve", arguments: args }));
    expect((await give({ path: 7 })).stderr).toContain("arguments: the answer does not fit the schema");
    expect((await give({ path: "new.log" })).status).toBe(0);
    expect(await one("run", "--resume", "last", "--quiet")).toMatchObject({
      stdout: "done true\n",
      status: 0,
    });
    expect(await one("replay", "last")).toMatchObject({ stdout: "done true\n", status: 0 });
  });

  it("is denied at once with --on-approval deny, also when the run is resumed or replayed", async () => {
    const one = project(agent);
    expect(await one("run", "a.harn", "--quiet", "--on-approval", "deny")).toMatchObject({
      stdout: "done false\n",
      status: 0,
    });
    expect(await one("replay", "last")).toMatchObject({ stdout: "done false\n", status: 0 });
    const approval = project('request_approval("deploy")');
    const denied = await approval("run", "a.harn", "--on-approval", "deny");
    expect(denied.status).toBe(1);
    expect(denied.stderr).toContain("approval denied by --on-approval deny");
    expect((await approval("run", "a.harn", "--on-approval", "later")).stderr).toContain(
      "--on-approval: expected one of ask, deny, got later",
    );
  });
});
