/** A program and the tools of its agents don't write the store of their run: by whatever path, plain and under rules. */
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtinTable, Capabilities, restrictHost } from "../../src/builtins/index.ts";
import { createNodeHost, type Host } from "../../src/host/index.ts";
import { runScript } from "../support/run-script.ts";
import { tempFolders } from "../support/temp-folder.ts";

const folders = tempFolders("store-wall");

/** A project with a store, and everything that leads to it. */
function project(): string {
  const work = join(folders(), "work");
  mkdirSync(join(work, ".harn", "notes"), { recursive: true });
  writeFileSync(join(work, ".harn", "state.db"), "kept");
  writeFileSync(join(work, "other"), "other");
  symlinkSync(join(work, ".harn"), join(work, "linked"));
  symlinkSync(".harn/state.db", join(work, "soft"));
  linkSync(join(work, ".harn", "state.db"), join(work, "hard"));
  return work;
}

const attacks = [
  'write_file(".harn/state.db", "x")',
  'write_file("./linked/../.harn/state.db", "x")',
  'write_file("linked/state.db", "x")',
  'write_file(".harn/state.db-wal", "x")',
  'write_file("linked/state.db-shm", "x")',
  'write_file_bytes(".harn/state.db", bytes_from_string("x"))',
  'append_file("soft", "x")',
  'append_file("hard", "x")',
  'append_file(".harn/state.db", "x")',
  'copy_file("other", ".harn/state.db")',
  'copy_file("other", "soft")',
  'move_file("other", ".harn/state.db")',
  'move_file(".harn/state.db", "taken")',
  'move_file(".harn", "taken")',
  'delete_file(".harn/state.db")',
  'delete_file("linked/state.db")',
];

const refused = /belongs to the store of this run .* keep values with store_set or checkpoint/;
const inTool = (call: string): string => `
let reg = tool_define(tool_registry(), "go", "Goes.", {handler: { a -> ${call} }})
llm_mock({tool_calls: [{name: "go", arguments: {}}]})
llm_mock({text: "end"})
let result = agent_loop("Go.", nil, {tools: reg, tool_format: "native"})
println(to_string(result.transcript))
`;
const kinds: readonly (readonly [string, (host: Host, work: string) => Host])[] = [
  ["plain", (host) => host],
  [
    "under rules",
    (host, work) => restrictHost(host, Capabilities.of({ deny: ["net"] }, builtinTable(), work)),
  ],
];

describe.each(kinds)("the store of a run, %s", (_, ruled) => {
  it.each(attacks)("is left alone by %s", async (call) => {
    for (const script of [`println(to_string(try { ${call} }))`, inTool(call)]) {
      const work = project();
      const host = ruled(createNodeHost({ cwd: work, env: new Map() }), work);
      const { stdout, error } = await runScript(script, { runtime: { host } });
      expect(error).toBe("");
      expect(stdout).toMatch(refused);
      expect(readFileSync(join(work, ".harn", "state.db"), "utf8")).toBe("kept");
      expect(existsSync(join(work, ".harn", "state.db-wal"))).toBe(false);
      expect(existsSync(join(work, ".harn", "state.db-shm"))).toBe(false);
    }
  });

  it("is said with the code of the catalogue", async () => {
    const work = project();
    const host = ruled(createNodeHost({ cwd: work, env: new Map() }), work);
    const { outcome } = await runScript('write_file(".harn/state.db", "x")', { runtime: { host } });
    expect(outcome?.error?.error.code).toBe("HARN-STD-011");
  });

  it("does not close the folder, and what is not the store is free", async () => {
    const work = project();
    const host = ruled(createNodeHost({ cwd: work, env: new Map() }), work);
    const { stdout, error } = await runScript(
      `
write_file(".harn/notes/a", "a")
append_file(".harn/notes/a", "b")
write_file("state.db", "mine")
delete_file(".harn/notes")
println(read_file(".harn/state.db") + read_file("state.db"))
`,
      { runtime: { host } },
    );
    expect(error).toBe("");
    expect(stdout).toBe("keptmine\n");
  });

  it("may be deleted with its folder, and nothing is put in its place", async () => {
    const work = project();
    const host = ruled(createNodeHost({ cwd: work, env: new Map() }), work);
    const { stdout, error } = await runScript(
      `
mkdir("forged")
write_file("forged/state.db", "x")
delete_file(".harn")
println(try { move_file("forged", ".harn") })
mkdir(".harn")
println(try { move_file("forged/state.db", ".harn/state.db") })
println(try { copy_file("forged/state.db", ".harn/state.db") })
`,
      { runtime: { host } },
    );
    expect(error).toBe("");
    expect(stdout.match(new RegExp(refused, "g"))).toHaveLength(3);
    expect(existsSync(join(work, ".harn", "state.db"))).toBe(false);
  });

  it("is the one that HARN_STATE_DIR names", async () => {
    const work = project();
    const elsewhere = join(folders(), "state");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "state.db"), "kept");
    const host = ruled(createNodeHost({ cwd: work, env: new Map([["HARN_STATE_DIR", elsewhere]]) }), work);
    const above = dirname(elsewhere);
    for (const call of [
      `write_file("${elsewhere}/state.db", "x")`,
      `move_file("${elsewhere}", "${elsewhere}2")`,
      `move_file("${above}", "${above}2")`,
    ]) {
      const { error } = await runScript(call, { runtime: { host } });
      expect(error, call).toMatch(refused);
    }
    expect(readFileSync(join(elsewhere, "state.db"), "utf8")).toBe("kept");
  });
});
