/** `harn eval run --detach`: a set goes on in the background (docs/evals.md). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { harn } from "../../../support/run-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-detach");

interface Detached {
  readonly set: string;
  readonly pid: number;
  readonly log: string;
}

async function lastLine(log: string): Promise<string> {
  for (;;) {
    const lines = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
    const last = lines.at(-1) ?? "";
    if (last.startsWith('{"done"')) return last;
    await sleep(50);
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it("tells set, process and log; the log ends with how it ended", async () => {
  const cwd = fresh();
  writeFileSync(
    join(cwd, "t.harn"),
    `import "std/eval"
eval_pack t {
  dataset: [{id: "a", target: "Paris"}]
  solver: { _sample, _trial -> "Paris" }
  scorers: [includes()]
  gates: ["success > 1"]
}
`,
  );
  const begun = harn(["eval", "run", "t.harn", "--detach"], { cwd });
  expect(begun).toMatchObject({ status: 0, stderr: "" });
  const { set, pid, log } = JSON.parse(begun.stdout) as Detached;
  expect(JSON.parse(await lastLine(log))).toEqual({ done: true, exit_code: 1, set });
  expect(readFileSync(log, "utf8")).toContain("gate success > 1  fail");
  while (isAlive(pid)) await sleep(20);
  expect(harn(["eval", "list"], { cwd }).stdout).toContain(`${set}  `);
  const again = JSON.parse(harn(["eval", "resume", "--detach"], { cwd }).stdout) as Detached;
  expect(again.set).toBe(set);
  while (isAlive(again.pid)) await sleep(20);
  expect(harn(["eval", "run", "t.harn", "t.harn", "--detach"], { cwd }).status).toBe(2);
});
