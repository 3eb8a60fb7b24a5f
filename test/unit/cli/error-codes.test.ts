/** What each error of a command is called: `harn explain` knows the code that it ends in. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { JournalProblem, type ProblemKind } from "../../../src/effects/index.ts";
import { asUsageError, lostOutput, reportFailure, UsageError } from "../../../src/host/command/index.ts";
import { StoreError, type StoreFault } from "../../../src/store/index.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("error-codes");

const textOf = (error: unknown): string => (asUsageError(error) as UsageError).text;

it.each<[StoreFault, string]>([
  ["corrupt", "HARN-CLI-020"],
  ["newer", "HARN-CLI-021"],
  ["full", "HARN-CLI-022"],
  ["readonly", "HARN-CLI-023"],
  ["unreadable", "HARN-CLI-024"],
  ["busy", "HARN-CLI-025"],
  ["taken", "HARN-CLI-026"],
  ["missing", "HARN-CLI-005"],
  ["exists", "HARN-CLI-027"],
  ["invalid", "HARN-CLI-028"],
])("a store that is %s", (fault, code) => {
  expect(textOf(new StoreError(fault, "it can't be", ["do this", "or that"]))).toBe(
    `it can't be (${code})\n  do this\n  or that`,
  );
});

it.each<[ProblemKind, string]>([
  ["mismatch", "HARN-CLI-030"],
  ["ended-early", "HARN-CLI-031"],
  ["unreadable", "HARN-CLI-032"],
  ["unwritable", "HARN-CLI-033"],
])("a journal: %s", (kind, code) => {
  expect(textOf(new JournalProblem(kind, "no", ["why"]))).toBe(`no (${code})\n  why`);
});

it("a command line that lacks something", async () => {
  expect(await harnHere(["fork"], { cwd: folder })).toMatchObject({
    stderr: "harn: missing required argument 'run' (HARN-CLI-002)\n  (see `harn help`)\n",
    status: 2,
  });
});

it("the code says whether the command line is wrong", () => {
  expect(new UsageError("no")).toMatchObject({ text: "no (HARN-CLI-004)", exitCode: 2 });
  expect(new UsageError("no", "HARN-CLI-008")).toMatchObject({ text: "no (HARN-CLI-008)", exitCode: 1 });
  expect(lostOutput(new Error("no room")).text).toBe("cannot write standard output: no room (HARN-CLI-012)");
});

it("a text that has its code keeps it, unless the catalogue does not know it", () => {
  expect(new UsageError("no (HARN-EVL-010)\n  do this", "HARN-CLI-003").text).toBe(
    "no (HARN-EVL-010)\n  do this",
  );
  expect(new UsageError("no (HARN-EVL-999)").text).toBe("no (HARN-EVL-999) (HARN-CLI-004)");
});

/** What `harn ARGS` says. */
async function said(...args: readonly string[]): Promise<string> {
  const { stderr, status } = await harnHere(args, { cwd: folder });
  expect(status).toBe(1);
  return stderr;
}

it("a file that is not there, or can't be written", async () => {
  expect(await said("run", "none.harn")).toBe(
    "harn: Error reading none.harn: no such file or folder (HARN-CLI-006)\n",
  );
  writeFileSync(join(folder, "a.harn"), "println(1)");
  expect(await said("run", "a.harn", "--record", "none/a.jsonl")).toMatch(/\(HARN-CLI-033\)/);
  mkdirSync(join(folder, "page.html"));
  writeFileSync(join(folder, "a.harn"), "println(now_ms() > 0)");
  expect((await harnHere(["run", "a.harn"], { cwd: folder })).status).toBe(0);
  expect(await said("view", "last", "--html", "page.html")).toMatch(/can't be written.*\(HARN-CLI-007\)\n$/);
});

it("models and the manifest", async () => {
  writeFileSync(join(folder, "a.harn"), "println(1)");
  expect(await said("run", "a.harn", "--llm-mock", "none.jsonl")).toMatch(/none\.jsonl.*\(HARN-CLI-010\)\n$/);
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "project", "harn.toml"), "[fmt]\nline_width = ");
  writeFileSync(join(folder, "project", "a.harn"), "println(1)\n");
  expect(await said("fmt", "project/a.harn")).toMatch(/harn\.toml cannot be read: .*\(HARN-CLI-009\)\n$/);
});

it("an address that is taken", async () => {
  const server = createServer();
  const port = await new Promise<number>((listens) => {
    server.listen(0, "127.0.0.1", () => listens((server.address() as { port: number }).port));
  });
  try {
    writeFileSync(join(folder, "a.harn"), "println(1)");
    expect(await said("serve", join(folder, "a.harn"), "--port", String(port))).toMatch(
      /is taken: .*\(HARN-CLI-011\)\n$/,
    );
  } finally {
    await new Promise((closed) => server.close(closed));
  }
});

it("a defect comes with the place where it was noticed", () => {
  let said = "";
  const write = vi.spyOn(process.stderr, "write").mockImplementation((piece) => {
    said += String(piece);
    return true;
  });
  try {
    expect(reportFailure(new TypeError("x is no function"))).toBe(1);
  } finally {
    write.mockRestore();
  }
  expect(said).toMatch(
    /^harn: internal error, please report it \(HARN-CLI-013\)\n {2}TypeError: x is no function\n {4}at /,
  );
});
