/** Commands beside each other in this process: each has its own folder, variables and streams. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folders = ["here-1-", "here-2-", "here-3-"].map((name) => tempFolder(name));

it("several commands run beside each other, each where it is told to", async () => {
  const before = { cwd: process.cwd(), env: { ...process.env }, code: process.exitCode };
  const text =
    'println(cwd())\nprintln(env("WHO"))\nprintln(read_line())\neprintln(shell("pwd; echo $WHO").stdout)\n';
  const done = await Promise.all(
    folders.map(async (cwd, at) => {
      writeFileSync(join(cwd, "a.harn"), text);
      return await harnHere(["run", "a.harn"], { cwd, env: { WHO: `number ${at}` }, input: `line ${at}\n` });
    }),
  );
  expect(done).toEqual(
    folders.map((cwd, at) => ({
      stdout: `${cwd}\nnumber ${at}\nline ${at}\n`,
      stderr: expect.stringContaining(`${cwd}\nnumber ${at}\n`),
      status: 0,
      signal: null,
    })),
  );
  expect({ cwd: process.cwd(), env: { ...process.env }, code: process.exitCode }).toEqual(before);
});

it("a command that fails says so as a process does", async () => {
  const [cwd = ""] = folders;
  expect(await harnHere(["run", "missing.harn"], { cwd })).toEqual({
    stdout: "",
    stderr: "harn: Error reading missing.harn: no such file or folder (HARN-CLI-006)\n",
    status: 1,
    signal: null,
  });
  expect((await harnHere(["run", "-"], { cwd, input: 'println("typed")\nexit(7)' })).status).toBe(7);
  expect((await harnHere(["nothing"], { cwd })).status).toBe(2);
});

it("what is run is recorded in its own folder, and found there", async () => {
  const [first = "", second = ""] = folders;
  const run = await harnHere(["run", "-e", "println(uuid_v7())"], { cwd: first });
  expect((await harnHere(["replay", "last"], { cwd: first })).stdout).toBe(run.stdout);
  const other = await harnHere(["replay", "last"], { cwd: second });
  expect(other.stdout).not.toBe(run.stdout);
});
