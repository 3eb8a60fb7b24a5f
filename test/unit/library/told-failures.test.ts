/** What a failure of a run says, and where: by the words and places that a program can do something with. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { harn, tool } from "../../../src/library/index.ts";
import type { Schema } from "../../../src/library/types.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("told-failures");
const mute = tool({
  name: "mute",
  description: "Throws.",
  input: z.object({ type: z.boolean() }),
  execute: ({ type }) => {
    throw type ? new TypeError() : new Error();
  },
});
const h = harn({ cwd: folder, store: join(folder, "state"), env: {}, tools: [mute] });
afterAll(() => h.close());

it("a script that is a text has no file, live, played again, forked or with another step", async () => {
  const text = 'let t = now_ms()\nsleep(1ms)\nthrow "no"';
  const place = { file: "script.harn", line: 3, column: 1 };
  const file = join(folder, "text.run");
  expect((await h.run({ text }, { name: "text" }).done).error?.place).toEqual(place);
  await h.runs.export("text", file);
  for (const again of [h.replay("text"), h.replay(file), h.fork("text", { at: 1 }), h.resume("text")]) {
    const { error } = await again.done;
    expect([error?.message, error?.place]).toEqual(["Thrown: no", place]);
  }
  expect(existsSync(join(folder, "script.harn"))).toBe(false);
  const named = { text, name: "ü/own.harn" };
  await h.run(named, { name: "named" }).done;
  expect((await h.replay("named").done).error?.place).toEqual({ ...place, file: "ü/own.harn" });
});

it("a script that is a file has its path, and what differs from the record has the place", async () => {
  const file = join(folder, "file.harn");
  writeFileSync(file, 'write_file("a", "1")\nwrite_file("b", "2")\n');
  await h.run("file.harn", { name: "file" });
  writeFileSync(file, 'write_file("a", "1")\n\n  write_file("b", "3")\n');
  const { error } = await h.replay("file", { script: "file.harn" }).done;
  expect([error?.code, error?.place]).toEqual(["HARN-CLI-030", { file, line: 3, column: 3 }]);
  expect(error?.message).toContain(`at ${file}:3:3`);
});

it("what the library writes itself is no place", async () => {
  const mock = [{ text: "a" }];
  await using one = harn({ cwd: folder, store: "memory", env: {}, mock });
  await one.agent({ prompt: "p", name: "agent" });
  const { error } = await one.fork("agent", { at: 1, result: "x" }).done;
  expect(error?.code).toBe("HARN-CLI-003");
  expect(error).not.toHaveProperty("place");
  expect(error?.message).not.toContain("<");
});

it("an error without a message has a text all the same", async () => {
  const told = async (type: boolean): Promise<string | undefined> =>
    (await h.run({ text: `host_call("tool.mute", {type: ${type}})` }).done).error?.message;
  expect([await told(false), await told(true)]).toEqual([
    "Error (without a message)",
    "TypeError (without a message)",
  ]);
  const flow = h.flow("mute", async () => {
    throw new Error();
  });
  expect((await flow().done).error?.message).toBe("Error (without a message)");
});

it.each([5, null, undefined, "x", {}, { issues: 5 }, [], { value: undefined, issues: null }])(
  "a schema that gives %j follows no standard, and that is told",
  async (given) => {
    const output: Schema = { "~standard": { version: 1, vendor: "own", validate: () => given as never } };
    const { status, error } = await h.run({ text: "return 1" }, { output }).done;
    expect([status, error?.code, error?.message]).toEqual([
      "failed",
      "HARN-LIB-005",
      "the schema of the result failed: its `validate` gives neither {value} nor {issues}, as Standard Schema has it",
    ]);
  },
);

it("`undefined` is a value of a schema", async () => {
  const validate = () => ({ value: undefined });
  const output: Schema = { "~standard": { version: 1, vendor: "own", validate } };
  expect(await h.run({ text: "return 1" }, { output })).toBeUndefined();
});
