/** MCP servers of a run as a user sees them: what Ctrl-C, `--deny` and a replay on another machine do. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
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
