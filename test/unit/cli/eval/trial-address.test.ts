/** Commands about runs take the address of a trial, and say what a run of a trial is (docs/evals.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const cwd = tempFolder("trial-address");
const run = (...args: string[]) => harnHere(args, { cwd });

/** Agents whose tool reads a file, and a judge that is an agent as well. */
const program = `import "std/eval"
tool look(id: string) -> string {
  description "Looks a number up."
  read_file("\${id}.txt")
}
llm_mock({match: "*Judge it*", text: "fine"})
llm_mock({match: "*result of look*", text: "It is 5."})
llm_mock({tool_calls: [{name: "look", arguments: {id: "a"}}], match: "*number of a*"})
llm_mock({tool_calls: [{name: "look", arguments: {id: "b"}}], match: "*number of b*"})
eval_task({
  name: "numbers",
  dataset: [{id: "a", target: "5"}, {id: "b", target: "5"}],
  solver: { sample, _trial ->
    agent_loop("number of \${sample.id}", "Use the tool.", {provider: "mock", tools: [look], tool_format: "native"})
  },
  scorers: [
    includes(),
    {name: "judged", score: { outcome, _sample ->
      read_file("a.txt")
      agent_loop("Judge it: \${outcome.text}", "judge", {provider: "mock"}).text == "fine"
    }},
  ],
  retries: {max: 0},
})
`;

beforeAll(async () => {
  writeFileSync(join(cwd, "t.harn"), program);
  writeFileSync(join(cwd, "a.txt"), "5");
  await harnHere(["eval", "run", "t.harn", "--set", "k", "--quiet"], { cwd });
});

describe("the run of a trial", () => {
  it("is in the list of runs only when trials are asked for", async () => {
    expect((await run("runs")).stdout).not.toContain("k.");
    expect((await run("runs", "--trials")).stdout).toMatch(/^k\.1 .*k:numbers\/default\/a\.1$/m);
    expect((await run("runs", "list", "--trials", "--json")).stdout).toContain(
      '"script":"k:numbers/default/a.1"',
    );
  });

  it("is shown by its address and by its name, with its trial and the command that shows it", async () => {
    const { stdout, status } = await run("runs", "show", "last:a");
    expect(status).toBe(0);
    expect(stdout).toBe((await run("runs", "show", "k.1")).stdout);
    expect(stdout).toMatch(/^k\.1 {2}.* done \(0\) .*k:numbers\/default\/a\.1\n/);
    expect(stdout).toContain(
      "\ntrial of an evaluation: `harn eval show k:numbers/default/a.1` has its scores and its conversation\n",
    );
    expect(stdout).toContain("read_file");
    expect(stdout).not.toContain("recorded by");
    expect(JSON.parse((await run("runs", "show", "last:a", "--json")).stdout)).toMatchObject({
      run: "k.1",
      trial: "k:numbers/default/a.1",
    });
    expect((await run("eval", "show", "k:numbers/default/a.1")).stdout).toMatch(
      /^k:numbers\/default\/a\.1\n/,
    );
  });

  it("is traced, without its judges", async () => {
    const { stdout, status, stderr } = await run("trace", "last:a.1");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("number of a");
    expect(stdout).toContain("look");
    expect(stdout).not.toContain("Judge it");
    expect((await run("trace", "k.1")).stdout).toBe(stdout);
    expect(JSON.parse((await run("trace", "last:a.1", "--json")).stdout)).not.toEqual([]);
    // One that errored (there is no b.txt) is looked at like one that ended.
    const errored = await run("trace", "last:b.1");
    expect(errored).toMatchObject({ status: 0, stderr: "" });
    expect(errored.stdout).toContain("number of b");
  });

  it("is asked why", async () => {
    const { stdout, status, stderr } = await run("why", "last:a.1");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^the loop l1 ended done \(natural\) after 2 turns\n/);
    expect((await run("why", "k.1")).stdout).toBe(stdout);
    // The text stands in the conversation of the trial, and not in that of its judge.
    expect((await run("why", "last:a.1", "--text", "result of look")).stdout).toContain("tool:look");
    expect((await run("why", "last:a.1", "--text", "Judge it")).stdout).not.toContain("message");
    expect((await run("why", "last:b.1")).stdout).toContain("the loop l1");
  });

  it("is replayed", async () => {
    const { stdout, status } = await run("replay", "last:a.1");
    expect(stdout).toMatch(/^k:numbers\/default\/a\.1 {2}1 trial replayed\nreceipt [0-9a-f]{64}\n$/);
    expect(status).toBe(0);
    expect((await run("eval", "replay", "k:a")).stdout).toBe(stdout);
    expect((await run("replay", "k.1")).stdout).toBe(stdout);
  });

  it("is forked", async () => {
    const step = /^ *(\d+) {2}read_file/m.exec((await run("runs", "show", "last:a")).stdout)?.[1] ?? "";
    const { stdout, status } = await run("fork", "last:a.1", "--at", step, "--result", '"7"');
    expect(stdout).toMatch(/^k:numbers\/default\/a\.1 from step \d+ of \d+ on \(read_file\)\n/);
    expect(stdout).toContain("\n  changed     1 of 1  1.000");
    expect(status).toBe(0);
  });

  it.each([
    [["runs", "show", "zzz:a.1"], "no set is called zzz"],
    [["trace", "last:zzz"], "the set k has no trial last:zzz"],
    [["why", "last:zzz"], "the set k has no trial last:zzz"],
    [
      ["trace", "last:a.1", "--script", "t.harn"],
      "--script: a trial is followed with the program of its set",
    ],
    [
      ["replay", "last:a.1", "--script", "t.harn"],
      "--script: a trial is followed with the program of its set",
    ],
    [["runs", "show", "last:1"], "the set k has no trial last:1"],
  ])("%j is wrong use", async (args, said) => {
    const { stderr, status } = await run(...args);
    expect(stderr).toContain(said);
    expect(status).toBe(2);
  });

  it("what did nothing has none; what is not done can't be compared", async () => {
    writeFileSync(
      join(cwd, "quiet.harn"),
      `import "std/eval"
eval_task({name: "quiet", dataset: [{id: "a"}], solver: { _s, _t -> "yes" }, scorers: [no_error()]})
eval_task({name: "broken", dataset: [{id: "b"}], solver: { _s, _t -> read_file("nope") }, scorers: [no_error()]})
`,
    );
    await harnHere(["eval", "run", "quiet.harn", "--set", "quiet", "--quiet", "--retries", "0"], { cwd });
    expect(await run("runs", "show", "quiet:a")).toMatchObject({
      status: 2,
      stderr:
        "harn: quiet:a has no run: what it did was never recorded (answers of llm_mock are the program's own), or it is not over; `harn eval show quiet:a` shows its scores (HARN-CLI-004)\n",
    });
    expect(await run("replay", "quiet:a")).toMatchObject({ status: 0 });
    expect(await run("replay", "quiet:b")).toMatchObject({
      status: 2,
      stderr:
        "harn: quiet:broken/default/b.1 is errored, so nothing is kept that a replay could be compared with; `harn trace quiet:broken/default/b.1` shows what it did (HARN-CLI-004)\n",
    });
  });
});

describe("a trial with a sandbox", () => {
  it("is not forked: the sentence says why, and what to do", async () => {
    writeFileSync(
      join(cwd, "box.harn"),
      `import "std/eval"
eval_task({
  name: "box",
  dataset: [{id: "a"}],
  sandbox: true,
  solver: { _sample, _trial ->
    write_file("x.txt", "x")
    read_file("x.txt")
  },
  scorers: [file_is("x.txt", "y")],
})
`,
    );
    await harnHere(["eval", "run", "box.harn", "--set", "box", "--quiet"], { cwd });
    for (const args of [
      ["eval", "fork", "box:a.1", "--at", "1", "--model", "x"],
      ["fork", "box:a.1", "--at", "1", "--model", "x"],
    ])
      expect(await run(...args)).toMatchObject({
        status: 2,
        stdout: "",
        stderr:
          "harn: box/default/a.1 works in a sandbox, and its files are not kept step by step: what goes on from one would find others; compare whole trials instead (run the set with the change, then `harn eval compare`) (HARN-CLI-004)\n",
      });
  });
});
