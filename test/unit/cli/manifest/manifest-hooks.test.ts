/** `[[hooks]]` of a manifest: registered before the program, kept in recordings, never silently left out. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type CliResult, harn } from "../../../support/run-cli.ts";
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

const run = (...args: string[]): CliResult => harn(args, { cwd: folder });

describe("hooks of the manifest", () => {
  test("run; handlers of two modules and a function of the program have the same name", () => {
    put("harn.toml", three);
    expect(run("run", "a.harn")).toMatchObject({
      status: 0,
      stdout: "mine\nprompt\nown echoed\ndenied\n",
    });
  });

  test("come from the project's own package and from what it exports", () => {
    put("lib.harn", 'var seen = 0\npub fn note(_e) {\n  seen = seen + 1\n  println("own ${seen}")\n}\n');
    put("src/checks.harn", 'fn check(e) { return {deny: "guarded " + e.tool.name} }\n');
    put(
      "harn.toml",
      `[package]\nname = "mine"\n[exports]\nchecks = "src/checks.harn"\n${hook("PreToolUse", "checks::check", `pattern = 'tool.name == "rm"'`)}${hook("UserPromptSubmit", "mine::note")}${hook("PostFinish", "mine::note")}`,
    );
    expect(run("run", "a.harn")).toMatchObject({ status: 0, stdout: "mine\nown 1\nown 2\nechoed\ndenied\n" });
  });

  test("a replay has them without any file", () => {
    put("harn.toml", three);
    const first = run("run", "--record", "j.jsonl", "a.harn");
    for (const name of ["harn.toml", "own.harn", "a.harn", ".harn"])
      rmSync(join(folder, name), { recursive: true });
    expect(run("replay", "j.jsonl")).toMatchObject({ status: 0, stdout: first.stdout });
  });

  test("`check` says nothing about them", () => {
    put("harn.toml", hook("PreToolUse", "nowhere::check"));
    put("b.harn", "println(1)\n");
    expect(run("check", "b.harn").status).toBe(0);
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
    ["a table that is no list", "[hooks]\nevent = 'x'\n", "hooks must be tables: [[hooks]]"],
    ["a file that is no TOML", "[[hooks\n", "Invalid TOML"],
  ])("%s: the program does not begin", (_, manifest, message) => {
    put("harn.toml", manifest);
    const { status, stdout, stderr } = run("run", "a.harn");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
  });
});
