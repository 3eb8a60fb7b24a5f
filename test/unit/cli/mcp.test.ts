/** MCP servers of a run as a user sees them: what Ctrl-C, `--deny` and a replay on another machine do. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("mcp");

const server = join(projectRoot, "test/support/mcp-server/stdio.ts");
let folder: string;
beforeAll(() => {
  folder = freshFolder();
});

function script(name: string, how: string, body: string): string {
  const path = join(folder, `${name}.harn`);
  const connect = `let c = mcp_connect(${JSON.stringify(process.execPath)}, [${JSON.stringify(server)}, "${how}"])\n`;
  writeFileSync(path, connect + body);
  return path;
}

const isGone = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch {
    return true;
  }
};

describe("MCP servers of a run", () => {
  test.each(["", "stubborn"])(
    "Ctrl-C in a call that never ends: the server still serves `finally`, then it is gone (%s)",
    async (how) => {
      const file = script(
        `wait-${how}`,
        how,
        `println("pid " + mcp_call(c, "pid"))
         try {
           mcp_call(c, "hang")
         } finally {
           println("still " + mcp_call(c, "echo", {text: "there"}))
         }`,
      );
      const run = startHarn(["run", file]);
      await run.shows("pid ");
      // The call that hangs is sent by then, or it will find the run stopping.
      run.child.kill("SIGINT");
      const { status, stdout } = await run.ended;
      expect(status).toBe(130);
      expect(stdout).toContain("still there");
      const pid = /pid (\d+)/.exec(stdout)?.[1] ?? "";
      expect(isGone(pid)).toBe(true);
    },
    30_000,
  );

  test("a run that may start no programs starts no server", () => {
    const file = script("denied", "", "println(c)");
    const { status, stderr } = harn(["run", "--deny", "process", file]);
    expect(status).toBe(1);
    expect(stderr).toContain("mcp_connect needs the capability process");
  });

  test("a replay starts no server", () => {
    const file = script("recorded", "", `println(mcp_call(c, "echo", {text: "once"}))`);
    const journal = join(folder, "run.jsonl");
    const env = { MCP_TEST_LOG: join(folder, "started.log") };
    expect(harn(["run", "--record", journal, file], { env })).toMatchObject({ stdout: "once\n", status: 0 });
    expect(harn(["replay", journal], { env })).toMatchObject({ stdout: "once\n", status: 0 });
    expect(readFileSync(env.MCP_TEST_LOG, "utf8").match(/started/g)).toHaveLength(1);
  });
});

describe("servers of the project", () => {
  let project: string;
  let env: { readonly MCP_TEST_LOG: string };
  beforeEach(() => {
    project = freshFolder();
    env = { MCP_TEST_LOG: join(project, "started.log") };
    writeFileSync(env.MCP_TEST_LOG, "");
  });
  const entry = (name: string, how: string, more = ""): string =>
    `[[mcp]]\nname = "${name}"\ncommand = ${JSON.stringify([process.execPath, server, how])}\n${more}\n`;
  const put = (name: string, text: string): void => writeFileSync(join(project, name), text);
  const run = (...args: string[]): CliResult => harn(args, { cwd: project, env });
  const started = (): number => readFileSync(env.MCP_TEST_LOG, "utf8").match(/started/g)?.length ?? 0;

  test("connect before the program unless they are lazy, and stand in `mcp`; one that can't start is said with its last words", () => {
    put(
      "harn.toml",
      entry("files", "") + entry("broken", "crash") + entry("later", "", "lazy = true") + missing,
    );
    put(
      "a.harn",
      `println(mcp.keys())
println(mcp_call(mcp.files, "echo", {text: "at once"}))
for row in mcp_registry_status() { println("\${row.name} \${row.active} \${row.ref_count}") }
mcp_release("files")
println(mcp_call(mcp.files, "echo", {text: "the run's own"}))
`,
    );
    const first = run("run", "a.harn");
    expect(first).toMatchObject({
      status: 0,
      stdout:
        "[files]\nat once\nfiles true 0\nbroken false 0\nlater false 0\nmissing false 0\nthe run's own\n",
    });
    expect(first.stderr.trim().split("\n").sort()).toEqual([
      expect.stringMatching(
        /^warning: mcp: server 'broken': .*its last words: cannot open database\); it is missing in `mcp`$/,
      ),
      "warning: mcp: server 'missing': failed to spawn 'no-such-program-of-ours': no such file or folder; it is missing in `mcp`",
    ]);
    // `files` and `broken`; the lazy one is not needed.
    expect(started()).toBe(2);
    expect(run("replay", "last")).toMatchObject({ status: 0, stdout: first.stdout });
    expect(started()).toBe(2);
    expect(run("check", "a.harn")).toMatchObject({ status: 0, stderr: "" });
    expect(started()).toBe(2);
  });

  const missing = `[[mcp]]\nname = "missing"\ncommand = "no-such-program-of-ours"\n`;

  test("a resume has the same clients, and starts a server when it is asked again", async () => {
    put("harn.toml", entry("files", ""));
    put(
      "a.harn",
      `println(mcp_call(mcp.files, "echo", {text: "before"}))
while !file_exists("go") { sleep(20) }
println(mcp_call(mcp.files, "echo", {text: "behind"}))
`,
    );
    const killed = startHarn(["run", "a.harn"], { cwd: project, env });
    await killed.shows("before\n");
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(started()).toBe(1);
    put("go", "");
    expect(run("run", "--resume", "last")).toMatchObject({ status: 0, stdout: "behind\n", stderr: "" });
    expect(started()).toBe(2);
  });

  test("a run that may start no programs starts none before the program either", () => {
    put("harn.toml", entry("files", ""));
    put("a.harn", "println(mcp)\n");
    const { status, stdout, stderr } = run("run", "--deny", "process", "a.harn");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "{}\n" });
    expect(stderr).toMatch(/^warning: .*process.*; it is missing in `mcp`\n$/);
    expect(started()).toBe(0);
  });

  test("an entry that can't be read is said before the program, which runs until it asks for servers", () => {
    put("harn.toml", `${entry("files", "")}colour = "red"\n`);
    put("a.harn", `println("on")\nprintln(mcp)\n`);
    const { status, stdout, stderr } = run("run", "a.harn");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "on\n" });
    expect(stderr).toMatch(/^warning: .*\[\[mcp\]\] entry 1: unknown option "colour"/);
    expect(stderr.match(/unknown option "colour"/g)).toHaveLength(2);
    expect(started()).toBe(0);
  });

  test("without such servers `mcp` is empty, a name of the program's own goes before it", () => {
    put("harn.toml", entry("later", "", "lazy = true"));
    put("a.harn", `println(mcp)\nfn own(mcp) { return mcp }\nprintln(own("mine"))\n`);
    expect(run("run", "a.harn")).toMatchObject({ status: 0, stdout: "{}\nmine\n", stderr: "" });
    expect(run("runs", "show", "last", "--json").stdout).not.toContain("harn:hooks");
    expect(started()).toBe(0);
  });
});
