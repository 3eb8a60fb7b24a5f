/** Paths of a workspace: nothing outside is read, written, listed or removed. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("paths");
const bench = new ServerBench(folder);
afterAll(() => bench.close());
beforeEach(() => {
  bench.now += 100_000;
});

let id: string;
const outside = join(folder, "outside");
beforeAll(async () => {
  id = await bench.conversation();
  const workspace = bench.conversations.mustGet(id).workspace ?? "";
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "outside");
  mkdirSync(join(workspace, "in"));
  mkdirSync(join(workspace, ".harn"));
  writeFileSync(join(workspace, "in/file"), "inside");
  writeFileSync(join(workspace, ".env"), "KEY=1");
  writeFileSync(join(workspace, ".env.local"), "KEY=1");
  writeFileSync(join(workspace, ".harn/state.db"), "state");
  symlinkSync(outside, join(workspace, "folder"));
  symlinkSync(join(outside, "secret"), join(workspace, "link"));
  symlinkSync(join(outside, "new"), join(workspace, "dangling"));
  symlinkSync("loop", join(workspace, "loop"));
  symlinkSync(join(workspace, ".env"), join(workspace, "env"));
  symlinkSync(join(workspace, "in"), join(workspace, "within"));
});

test.each([
  "..%2foutside%2fsecret",
  "in/..%2f..%2f..%2foutside/secret",
  "%2e%2e/%2e%2e/outside/secret",
  "%2fetc%2fpasswd",
  "%2Fetc/passwd",
  "in%00/file",
  "in%5cfile",
  "C:%5cx",
  "C:x",
  "in//file",
  "folder/secret",
  "folder/new",
  "link",
  "dangling",
  "loop",
  "env",
  ".env",
  ".ENV",
  ".env.local",
  ".harn/state.db",
  "%ff",
])("%s: refused, and nothing is read, written or removed", async (path) => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const { status, text } = await bench.ask(`/api/conversations/${id}/files/${path}`, {
      method,
      ...(method === "PUT" ? { raw: "written" } : {}),
    });
    // Addresses with `..` are shortened before they arrive: what is left is no route.
    expect([400, 404, 405]).toContain(status);
    expect(text).not.toMatch(/outside|KEY|root:/);
    expect(text).not.toContain(folder);
  }
  expect(readFileSync(join(outside, "secret"), "utf8")).toBe("outside");
  expect(existsSync(join(outside, "new"))).toBe(false);
});

test("names that no disk takes, and places below a file, are refused in words", async () => {
  const put = async (path: string) =>
    (await bench.ask(`/api/conversations/${id}/files/${path}`, { method: "PUT", raw: "written" })).json;
  for (const path of ["a".repeat(300), `in/${"a".repeat(300)}/b`])
    expect(await put(path)).toMatchObject({ status: 400, detail: "a name of the path is too long" });
  for (const path of ["in/file/b", "in/file/b/c"])
    expect(await put(path)).toMatchObject({ status: 400, detail: "a file stands on the way" });
  expect(readFileSync(join(bench.conversations.mustGet(id).workspace ?? "", "in/file"), "utf8")).toBe(
    "inside",
  );
});

test("the parameter that is no number of an event is named", async () => {
  const asked = async (rest: string) => (await bench.ask(`/api/conversations/${id}${rest}`)).json.detail;
  expect(await asked("/events?after=x")).toBe("`after` must be the number of an event");
  expect(await asked("/state?at=x")).toBe("`at` must be the number of an event");
  expect(await asked("/diff?path=in/file&from=x")).toBe("`from` must be the number of an event");
  expect(await asked("/diff?path=in/file&to=x")).toBe("`to` must be the number of an event");
});

test("links that stay inside are followed; the list has neither links nor hidden files", async () => {
  expect((await bench.ask(`/api/conversations/${id}/files/within/file`)).text).toBe("inside");
  const { json } = await bench.ask(`/api/conversations/${id}/files`);
  expect(json.items.map((one: { path: string }) => one.path)).toEqual(["in/file"]);
});

test("a workspace that is gone is 404", async () => {
  const other = await bench.conversation();
  const { rmSync } = await import("node:fs");
  rmSync(bench.conversations.mustGet(other).workspace ?? "", { recursive: true });
  expect((await bench.ask(`/api/conversations/${other}/files`)).status).toBe(404);
  expect((await bench.ask(`/api/conversations/${other}/files/a`)).status).toBe(404);
});
