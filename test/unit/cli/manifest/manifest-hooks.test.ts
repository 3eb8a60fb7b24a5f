/** `[[hooks]]` of a manifest: registered before the program, kept in recordings, never silently left out. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { CliResult } from "../../../support/command-environment.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("hooks");

let folder: string;
beforeEach(() => {
  folder = freshFolder();
  put("a.harn", agent);
  put(
    ".harn/packages/guard/lib.harn",
    `pub fn check(e) { return {deny: "guarded " + e.tool.name} }\npub fn prompt(_e) {\n  println("prompt")\n}\n`,
  );
  put("own.harn", `fn check(e) { return "own " + e.result.text }\n`);
});

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const agent = `fn check(_x) { return "mine" }
println(check(1))
var reg = tool_define(tool_registry(), "echo", "Says.", {handler: { _a -> "echoed" }})
reg = tool_define(reg, "rm", "Removes.", {handler: { _a -> "removed" }})
llm_mock({tool_calls: [{name: "echo"}, {name: "rm"}]})
llm_mock({text: "end"})
agent_loop("Go.", nil, {tools: reg, tool_format: "native", provider: "mock"})
for m in llm_mock_calls()[1].messages.filter({ m -> m.role == "tool" }) {
  println(m.content.contains("guarded rm") ? "denied" : m.content.split("\\n")[1])
}
`;

const hook = (event: string, handler: string, more = ""): string =>
  `[[hooks]]\nevent = "${event}"\nhandler = "${handler}"\n${more}\n`;

const three = [
  hook("PreToolUse", "guard::check", `pattern = 'tool.name == "rm"'`),
  hook("PostToolUse", "./own::check"),
  hook("UserPromptSubmit", "guard::prompt"),
].join("");

const run = (...args: string[]): Promise<CliResult> => harnHere(args, { cwd: folder });

describe("hooks of the manifest", () => {
  test("run; handlers of two modules and a function of the program have the same name", async () => {
    put("harn.toml", three);
    expect(await run("run", "a.harn")).toMatchObject({
      status: 0,
      stdout: "mine\nprompt\nown echoed\ndenied\n",
    });
  });

  test("come from the project's own package and from what it exports", async () => {
    put("lib.harn", 'var seen = 0\npub fn note(_e) {\n  seen = seen + 1\n  println("own ${seen}")\n}\n');
    put("src/checks.harn", 'fn check(e) { return {deny: "guarded " + e.tool.name} }\n');
    put(
      "harn.toml",
      `[package]\nname = "mine"\n[exports]\nchecks = "src/checks.harn"\n${hook("PreToolUse", "checks::check", `pattern = 'tool.name == "rm"'`)}${hook("UserPromptSubmit", "mine::note")}${hook("PostFinish", "mine::note")}`,
    );
    expect(await run("run", "a.harn")).toMatchObject({
      status: 0,
      stdout: "mine\nown 1\nown 2\nechoed\ndenied\n",
    });
  });

  test("a replay has them without any file", async () => {
    put("harn.toml", three);
    const first = await run("run", "--record", "j.jsonl", "a.harn");
    for (const name of ["harn.toml", "own.harn", "a.harn", ".harn"])
      rmSync(join(folder, name), { recursive: true });
    expect(await run("replay", "j.jsonl")).toMatchObject({ status: 0, stdout: first.stdout });
  });

  test("`check` says what a run would not begin with", async () => {
    put("b.harn", "println(1)\n");
    put("harn.toml", hook("PreToolUse", "nowhere::check"));
    const { status, stderr } = await run("check", "b.harn");
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^error: harn\.toml: module 'nowhere' could not be resolved from .*\(HARN-OPT-004\)$/m,
    );
    expect(stderr).toMatch(/--> .*harn\.toml:1:3\n/);
    put("harn.toml", hook("PreToolUse", "guard::check"));
    expect(await run("check", "b.harn")).toMatchObject({ status: 0, stderr: "" });
  });

  test.each([
    [
      "a module that is not there",
      hook("PreToolUse", "nowhere::check"),
      "module 'nowhere' could not be resolved from",
    ],
    [
      "a function that is not there",
      hook("PreToolUse", "guard::chekc"),
      "hook handler 'chekc' is not exported by module 'guard'",
    ],
    [
      "an own package without its file",
      `[package]\nname = "mine"\n${hook("PreToolUse", "mine::check")}`,
      "module 'mine' resolves to local lib.harn, but",
    ],
    [
      "an export that leads nowhere",
      `[exports]\nchecks = "src/checks.harn"\n${hook("PreToolUse", "checks::check")}`,
      "export 'checks' resolves to",
    ],
    [
      "an event that nobody knows",
      hook("PreToolUsed", "guard::check"),
      "unknown session hook event `PreToolUsed`",
    ],
    ["an event of a later version", hook("PreDrain", "guard::check"), "`PreDrain` is not available yet"],
    [
      "a handler without function",
      hook("PreToolUse", "${guard}"),
      "invalid hook handler '${guard}': expected <module>::<function>",
    ],
    [
      "a key that nobody knows",
      hook("PreToolUse", "guard::check", "patern = 'x'"),
      "[[hooks]] 1: unknown key `patern`",
    ],
    ["a pattern that is none", hook("PreToolUse", "guard::check", "pattern = 'tool == 3'"), "pattern"],
    ["a table that is no list", "[hooks]\nevent = 'x'\n", "hooks: expected tables, [[hooks]]"],
    ["a file that is no TOML", "[[hooks\n", "Invalid TOML"],
  ])("%s: the program does not begin", async (_, manifest, message) => {
    put("harn.toml", manifest);
    const { status, stdout, stderr } = await run("run", "a.harn");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
    // Not the text that registers them, which stands in no file.
    expect(stderr).toMatch(/^error: .*harn\.toml: [\s\S]*? \(HARN-OPT-004\)$/m);
    expect(stderr).not.toMatch(/called from|throw |failed = |registered_/);
  });
});

describe("triggers of the manifest", () => {
  const program = `println(trigger_list().map({ t -> [t.id, t.source, t.handler_kind] }))
let fired = trigger_fire("issues", {provider: "github", kind: "issues.opened", payload: {}})
println([fired.status, fired.result])
println(trigger_fire("issues", {provider: "github", kind: "issues.closed", payload: {}}).result.skipped)
`;
  const functions = `pub fn opened(event) { return "opened by " + event.kind }
pub fn wanted(event) { return event.kind == "issues.opened" }
pub fn two(_a, _b) { return true }
`;
  const trigger = (more = "", handler = "./on::opened"): string =>
    `[package]\nname = "mine"\n[[triggers]]\nid = "issues"\nprovider = "github"\nhandler = "${handler}"\n${more}\n`;

  beforeEach(() => {
    put("t.harn", program);
    put("on.harn", functions);
  });

  test("are registered before the program, with their functions; a replay needs no file", async () => {
    put("harn.toml", trigger(`when = "./on::wanted"\nretry = { max = 1, backoff = "immediate" }`));
    const first = await run("run", "--record", "j.jsonl", "t.harn");
    expect(first).toMatchObject({
      status: 0,
      stderr: "",
      stdout: "[[issues, manifest, local]]\n[dispatched, opened by issues.opened]\ntrue\n",
    });
    for (const name of ["harn.toml", "on.harn"]) rmSync(join(folder, name));
    expect(await run("replay", "j.jsonl")).toMatchObject({ status: 0, stdout: first.stdout });
  });

  test("stand beside hooks, and may hand events to a queue", async () => {
    put("harn.toml", `${trigger("", "worker://queue")}${three}`);
    put("t.harn", "println(trigger_list().map({ t -> [t.id, t.handler_kind] }))\n");
    expect(await run("run", "t.harn")).toMatchObject({ status: 0, stdout: "[[issues, worker]]\n" });
  });

  test.each([
    [
      "a function that is not there",
      trigger("", "./on::opend"),
      "trigger function 'opend' is not exported by module './on'",
    ],
    [
      "a module that is not there",
      trigger("", "nowhere::opened"),
      "module 'nowhere' could not be resolved from",
    ],
    [
      "a handler without function",
      trigger("", "opened"),
      "invalid trigger handler 'opened': expected <module>::<function>",
    ],
    ["a predicate without function", trigger(`when = "yes"`), "invalid trigger predicate 'yes'"],
    ["a predicate of two events", trigger(`when = "./on::two"`), "when must take one event, two takes 2"],
    [
      "two functions of one name",
      trigger(`when = "guard::opened"`),
      "./on::opened and guard::opened have one name; rename one of them",
    ],
    ["a table that is no list", "[triggers]\nid = 'x'\n", "triggers"],
    ["a key that nobody knows", trigger("retrry = 1"), "unknown key `retrry` in [[triggers]] entry 1"],
    [
      "a number that is none",
      trigger("retry = { max = inf }"),
      "[[triggers]] 1: retry.max: expected a finite number; the language has no literal for inf and nan",
    ],
    [
      "in a list",
      trigger('match = { events = ["a", nan] }'),
      "[[triggers]] 1: match.events[1]: expected a finite number",
    ],
    ["a retry that is none", trigger("retry = 7"), "retry"],
  ])("%s: the program does not begin", async (_, manifest, message) => {
    put("harn.toml", manifest);
    const { status, stdout, stderr } = await run("run", "t.harn");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
  });
});
