/** `harn torture` over the examples, and over a program that it must find fault with. */
// long: tortures

import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { hermeticHost } from "../../../src/host/index.ts";
import { openStore } from "../../../src/store/index.ts";
import { differences, experiment, type Subject } from "../../../src/tools/torture/experiment.ts";
import { faultsFor } from "../../../src/tools/torture/faults.ts";
import { whatIsLeft } from "../../../src/tools/torture/kill-nine.ts";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { compileScript } from "../../support/run-script.ts";
import { tempFolder, tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("ended");

const folder = tempFolder("torture-test");

describe("harn torture", () => {
  for (const name of ["agent-with-a-tool", "approval-gate", "parallel-checks", "mailroom-daemon", "inbox"]) {
    it(`finds no differences in ${name}`, () => {
      const { stdout, status } = harn(["torture", `examples/${name}.harn`]);
      expect(stdout).toMatch(/^\d+ effects, \d+ faults: no differences\n$/);
      expect(status).toBe(0);
    });
  }

  it("finds none in the quickstart", () => {
    const flags = ["--tape", "tape.jsonl", "--effects", "40", "--kills", "20", "--json"];
    const { stdout } = harn(["torture", ...flags, "audit.harn", "--", "project", "report.md"], {
      cwd: join(projectRoot, "examples/repo-audit"),
      timeout: 300_000,
    });
    const published = JSON.parse(stdout);
    expect(published.findings).toEqual([]);
    expect(published.experiments).toBeGreaterThan(200);
    const killed = published.killed as { processes: number; differences: string[] }[];
    expect(killed.flatMap(({ differences: found }) => found)).toEqual([]);
    expect(killed.filter(({ processes }) => processes > 1).length).toBeGreaterThan(3);
  });

  it("survives real kills", () => {
    const script = join(folder, "a.harn");
    writeFileSync(
      script,
      'println("a")\nappend_file("l.txt", "x")\nsleep(100)\nprintln(len(read_file("l.txt")))',
    );
    const { stdout } = harn(["torture", "--kills", "3", script]);
    expect(stdout).toMatch(/^3 effects, 15 faults and 3 real kills: no differences\n$/);
  });

  it("a real kill that does something twice is found", () => {
    const script = join(folder, "twice.harn");
    // What a sub-process did is not known: the torture has it run again. It lasts long beside the start of a process, so that
    // one of the kills hits it on a busy machine too.
    writeFileSync(script, 'exec("sh", "-c", "echo x >> twice.txt; sleep 4")');
    const flags = ["--effects", "0", "--kills", "3"];
    const { stdout, status } = harn(["torture", ...flags, script], { cwd: folder, timeout: 300_000 });
    expect(stdout).toContain("files: twice.txt has another content");
    expect(status).toBe(1);
  });

  it.each([
    ["ended well", 'append_file("l.txt", "x")', 0],
    ["failed", 'append_file("l.txt", "x")\nthrow "x"', 1],
    ["ended by itself with a code", 'append_file("l.txt", "x")\nexit(7)', 7],
  ])("takes a run for ended whose process was killed after it %s", (_what, text, exitCode) => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "a.harn"), text);
    const state = join(cwd, ".harn");
    expect(whatIsLeft(state)).toEqual({ kind: "nothing" });
    expect(harn(["run", "a.harn"], { cwd, env: { HARN_STATE_DIR: state } }).status).toBe(exitCode);
    expect(whatIsLeft(state)).toEqual({ kind: "ended", exitCode });
    // The process that owned it may look alive for a while: the store calls the run "running" then.
    const store = openStore(state);
    const [run] = store.runs.list();
    store.runs.take(run?.name ?? "");
    expect(store.runs.list()[0]?.state).toBe("running");
    expect(whatIsLeft(state)).toEqual({ kind: "ended", exitCode });
    store.close();
  });

  it("says so when a script does not run in a copy of its folder", () => {
    const script = join(folder, "elsewhere.harn");
    writeFileSync(script, `require path_basename(cwd()) == "${basename(folder)}", "not here"`);
    const { stderr, status } = harn(["torture", "--kills", "1", script], { cwd: folder });
    expect(status).toBe(1);
    expect(stderr).toContain("in a copy of its folder the script ends with 1");
  });
});

test("a change that is done twice is found", async () => {
  const { program } = compileScript('write_file("n", "")\nappend_file("n", "x")\nprintln(read_file("n"))');
  if (program === undefined) throw new Error("it compiles");
  // An append that does not look whether it happened.
  const builtins = new Map(builtinTable());
  const { evidence: _, ...append } = builtins.get("append_file")!;
  builtins.set("append_file", { ...append, inDoubt: "say" });
  const subject: Subject = {
    program,
    path: "main.harn",
    args: [],
    flags: {},
    builtins,
    machine: () => hermeticHost(),
  };
  const reference = await experiment(subject, undefined);
  expect(reference.stdout).toBe("x\n");
  const found: string[] = [];
  for (const fault of faultsFor("write")) {
    const execution = await experiment(subject, { step: 2, fault });
    found.push(...differences(reference, execution, fault));
  }
  expect(found).toContain("side effects: 0#1 append_file happened 2 times, not 1");
  expect(found).toContain('output: "x\\n" became "xx\\n"');
});
