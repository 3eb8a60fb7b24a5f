/**
 * Issue 12, wall 45: a pipe, a device or a socket under a file's name keeps no builtin waiting for ever: files are used at once,
 * so no signal could end it. Each file builtin of the table is tried on each kind, plain and under rules.
 */
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtinTable, Capabilities, restrictHost } from "../../src/builtins/index.ts";
import { createNodeHost, type Host, HostError } from "../../src/host/index.ts";
import { runScript } from "../support/run-script.ts";
import { tempFolder } from "../support/temp-folder.ts";

const folder = tempFolder("special");
const pipe = join(folder, "pipe");
const socket = join(folder, "socket");
const server = createServer();

beforeAll(async () => {
  execFileSync("mkfifo", [pipe]);
  await new Promise<void>((listening) => void server.listen(socket, listening));
});
afterAll(() => new Promise<void>((closed) => void server.close(() => closed())));

const plain = createNodeHost();
const underRules = (): Host =>
  restrictHost(plain, Capabilities.of({ deny: ["fs.read=/nowhere"] }, builtinTable(), folder));
const kinds: readonly (readonly [string, () => Host])[] = [
  ["plain", () => plain],
  ["under rules", underRules],
];

function failure(call: () => unknown): string {
  try {
    return `no error: ${JSON.stringify(call())}`;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}

describe.each(kinds)("the port, %s", (_name, host) => {
  it("reads no pipe that nobody writes into", () => {
    expect(failure(() => host().files.readText(pipe))).toBe(
      "is a pipe, and nobody has written into it in 3 s",
    );
    expect(failure(() => host().files.readInto(pipe, 0, new Uint8Array(4)))).toBe(
      "is a pipe: it has no places to read at",
    );
  });

  it("reads a pipe to its end while its writer is at work, also into a copy", async () => {
    for (const read of [
      () => host().files.readText(pipe),
      () => {
        host().files.copy(pipe, join(folder, "copy"));
        return host().files.readText(join(folder, "copy"));
      },
    ]) {
      const writer = spawn("sh", ["-c", `printf one > ${pipe}`]);
      const ended = new Promise((resolve) => writer.once("close", resolve));
      expect(read()).toBe("one");
      await ended;
    }
  });

  it("writes into no pipe that nobody reads", () => {
    const said = "is a socket, or a pipe that nobody reads";
    expect(failure(() => host().files.write(pipe, "x"))).toBe(said);
    expect(failure(() => host().files.append(pipe, "x"))).toBe(said);
    expect(failure(() => host().files.copy("/etc/hostname", pipe))).toBe(said);
  });

  it("tells devices that have no end from those that are empty", () => {
    expect(host().files.readText("/dev/null")).toBe("");
    expect(failure(() => host().files.readText("/dev/zero"))).toBe(
      "is a device and not a file: it has no end",
    );
    expect(failure(() => host().files.copy("/dev/zero", join(folder, "zeros")))).toContain("it has no end");
    const part = new Uint8Array([1, 1]);
    expect(host().files.readInto("/dev/zero", 0, part)).toBe(2);
    expect([...part]).toEqual([0, 0]);
    host().files.write("/dev/null", "x");
    expect(failure(() => host().files.write("/dev/full", "x"))).toBe("no space left on device");
    expect(failure(() => host().files.readText(socket))).toBe("is a socket, or a pipe that nobody reads");
  });
});

/** Builtins with a path as their first parameter, called on it with whatever else they need. */
const more: Readonly<Record<string, string>> = {
  write_file: ', "x"',
  write_file_bytes: ', bytes_from_string("x")',
  append_file: ', "x"',
  copy_file: `, "${folder}/c"`,
  move_file: `, "${folder}/m"`,
};
const onPaths = [...builtinTable().values()].filter(
  ({ name, sig, capability, area }) =>
    capability?.startsWith("fs.") === true &&
    /^\((?:path|file|src|from|dir|source)\b/.test(sig) &&
    (area === "files" || area === "file_streams") &&
    !["delete_file", "remove_file", "move_file", "rename_file"].includes(name),
);

it("has the builtins for files", () => {
  expect(onPaths.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["read_file", "read_file_bytes", "write_file", "append_file", "file_lines"]),
  );
});

it.each(["pipe", "socket", "/dev/zero", "."])(
  "every file builtin answers for %s",
  async (name) => {
    const path = name.startsWith("/") ? name : join(folder, name);
    const calls = onPaths.map(({ name: builtin }) => {
      const call = `${builtin}(${JSON.stringify(path)}${more[builtin] ?? ""})`;
      const whole = ["file_lines"].includes(builtin) ? `${call}.take(1).to_list()` : call;
      return `println("${builtin}\\t" + type_of(try { ${whole} } catch (e) { e }))`;
    });
    const { stdout, error } = await runScript(calls.join("\n"), { runtime: { host: plain } });
    expect(error).toBe("");
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0]),
    ).toEqual(onPaths.map(({ name: builtin }) => builtin));
  },
  120_000,
);
