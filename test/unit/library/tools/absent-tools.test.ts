/** A run that was given tools by a program, where they are not given any more: it stays as it is. */
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { harn, tool } from "../../../../src/library/index.ts";
import { harn as command } from "../../../support/run-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("absent-tools");
const store = join(cwd, "state");
const double = tool({
  name: "double",
  description: "Doubles.",
  input: z.object({ n: z.number() }),
  execute: ({ n }) => n * 2,
});
const given = harn({ cwd, store, tools: [double] });
const without = harn({ cwd, store });
afterAll(() => Promise.all([given.close(), without.close()]));

/** Stopped before its call, in its first step. */
async function stopped(name: string): Promise<void> {
  const text = 'println("begun")\nsleep(400ms)\nreturn "got ${host_call("tool.double", {n: 2})}"';
  const run = given.run({ text }, { name, onPrint: () => void setTimeout(() => void run.stop(), 50) });
  expect((await run.done).status).toBe("stopped");
}

const words = /tools that it is not given now: double/;

describe("is not gone on with", () => {
  it("by a program, in the run or in a fork", async () => {
    await stopped("one");
    await expect(without.resume("one")).rejects.toMatchObject({
      code: "HARN-CLI-004",
      message: expect.stringMatching(/h\.resume\("one", \{tools: \[…\]\}\)/),
    });
    const { error } = await without.fork("one", { at: 1 }).done;
    expect(error?.message).toMatch(words);
    expect(error?.message).toContain('h.fork("one", {at, tools: […]})');
    expect(error?.message).not.toContain("h.resume");
    expect(await given.resume("one")).toBe("got 4");
  });

  it("by the command line", async () => {
    await stopped("two");
    const resumed = command(["run", "--resume", "two"], { cwd, env: { HARN_STATE_DIR: store } });
    expect(resumed).toMatchObject({ stdout: "", status: 2 });
    expect(resumed.stderr).toMatch(words);
    expect(resumed.stderr).toContain('h.resume("two", {tools: […]})');
    expect(await without.resume("two", { tools: [double] })).toBe("got 4");
    expect(command(["replay", "two"], { cwd, env: { HARN_STATE_DIR: store } })).toMatchObject({
      stdout: "begun\n",
      status: 0,
    });
  });

  it("by the command line, which answers its question and says who goes on", async () => {
    const text = 'return "${ask_user("Which?")} ${host_call("tool.double", {n: 2})}"';
    expect((await given.run({ text }, { name: "three" }).done).status).toBe("waiting");
    const answered = command(["hitl", "answer", "three", "this"], { cwd, env: { HARN_STATE_DIR: store } });
    expect(answered).toMatchObject({
      stdout: 'answered; the program goes on with `h.resume("three")`\n',
      status: 0,
    });
    expect(await given.resume("three")).toBe("this 4");
  });
});
