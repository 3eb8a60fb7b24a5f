/** `testHarn()`: the same each time, and nothing leaves the process. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { tool } from "../../../../src/library/index.ts";
import { type HarnOptions, testHarn } from "../../../../src/library/testing.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("library-testing");
writeFileSync(join(cwd, "data.txt"), "from the disk");

async function outcome(text: string, options: HarnOptions = {}) {
  await using h = testHarn({ cwd, ...options });
  const { output, error } = await h.run({ text }).done;
  return error?.message ?? output;
}

test("time is virtual, what is random is the same", async () => {
  const text = `let a = now_ms()
    sleep(3600s)
    return [a, now_ms() - a, random_int(0, 1000000), uuid()]`;
  const began = performance.now();
  const once = await outcome(text);
  expect(once).toEqual([Date.UTC(2026, 0, 1), 3_600_000, expect.any(Number), expect.any(String)]);
  expect(await outcome(text)).toEqual(once);
  expect(performance.now() - began).toBeLessThan(60_000);
});

test("no network, no programs, no variables", async () => {
  expect(await outcome(`return http_get("http://127.0.0.1:1/").body`)).toContain(
    "unreachable in a hermetic run",
  );
  expect(await outcome(`return exec("ls")`)).toContain("is not started in a hermetic run");
  expect(await outcome(`return env("PATH")`)).toBe(null);
  expect(await outcome(`return env("PATH")`, { env: { PATH: "x" } })).toBe("x");
  expect(await outcome(`return mcp_connect("https://tools.example/mcp")`)).toContain("hermetic");
});

test("models answer by `mock`, servers by `fetch`", async () => {
  await using h = testHarn({ cwd, mock: [{ text: "42" }] });
  expect(await h.agent({ prompt: "x" })).toMatchObject({ text: "42" });
  const fetch = (async () => new Response("served")) as typeof globalThis.fetch;
  expect(await outcome(`return http_get("http://api.example/").body`, { fetch })).toBe("served");
  expect(await outcome(`return mcp_connect("stdio:ls")`, { fetch })).toMatch(/hermetic|expected/);
});

test("files: read from the folder, written in memory, for all runs of one harn", async () => {
  await using h = testHarn({ cwd });
  const text = `write_file("new.txt", read_file("data.txt") + "!")`;
  await h.run({ text });
  expect(await h.run({ text: `return read_file("new.txt")` })).toBe("from the disk!");
  expect(readdirSync(cwd)).toEqual(["data.txt"]);
});

test("its runs are stored, and gone with it", async () => {
  const h = testHarn({ cwd });
  const run = h.run({ text: `return read_file("data.txt")` });
  await run;
  expect(await h.replay(run.id)).toBe("from the disk");
  expect((await h.runs.list()).map((row) => row.run)).toEqual([run.id]);
  await h.close();
  expect(existsSync(join(cwd, ".harn"))).toBe(false);
});

test("options are checked in its name", () => {
  expect(() => testHarn({ mok: [] } as never)).toThrow(
    "testHarn: there is no option `mok`, did you mean `mock`?",
  );
});

test("the time of a tool is real, whatever clock the run has", async () => {
  const make = (name: string, timeout: number, work: Promise<string>) =>
    tool({ name, description: "Waits.", input: z.object({}), timeout, execute: () => work });
  const never = new Promise<string>(() => {});
  await using h = testHarn({
    cwd,
    tools: [make("quick", 60_000, setTimeout(5, "done")), make("slow", 20, never)],
  });
  expect(await h.run({ text: 'return host_call("tool.quick", {})' })).toBe("done");
  await expect(h.run({ text: 'return host_call("tool.slow", {})' })).rejects.toThrow(
    /did not finish within 20 ms/,
  );
});
