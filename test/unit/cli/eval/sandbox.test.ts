/** Trials with folders of their own, and scorers of what they left there (docs/evals.md). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-sandbox");
let cwd: string;
beforeEach(() => {
  cwd = fresh();
});

const put = (path: string, text: string): void => {
  mkdirSync(join(cwd, path, ".."), { recursive: true });
  writeFileSync(join(cwd, path), text);
};
const run = (...args: string[]) => harnHere(["eval", ...args], { cwd });
const sandboxes = (): string[] => {
  const folder = join(cwd, ".harn", "sandboxes");
  return existsSync(folder) ? readdirSync(folder) : [];
};

const script = (more: string): string => `import "std/eval"
eval_pack t {
  dataset: [{id: "a", files: {"in.txt": "hello"}, target: "HELLO"}, {id: "b", files: {"in.txt": "x"}, target: "Y"}]
  solver: { _sample, trial ->
    write_file("out.txt", read_file("in.txt").uppercase())
    shell("echo $GREET > greet.txt; rm keep.md")
    mkdir("sub")
    write_file(trial.sandbox + "/sub/deep.txt", "deep")
    "done"
  }
  ${more}
}
`;

describe("a sandbox", () => {
  it("is filled, used, scored and gone; scores are made again from what was kept", async () => {
    put("template/keep.md", "keep");
    put("template/lib/a.txt", "same");
    put("checks/run.sh", "cat out.txt | grep -q HELLO\n");
    put(
      "t.harn",
      script(`sandbox: {copy: "template", env: {GREET: "hi"}}
  scorers: [
    file_is("out.txt"),
    file_is("lib/a.txt", "same"),
    diff_is({ s -> {"out.txt": s.target, "greet.txt": "hi\\n", "sub/deep.txt": "deep", "keep.md": nil} }),
    tests("sh checks/run.sh", {copy: "checks/"}),
    tests("echo '{\\"speed\\": 1, \\"size\\": 0.5}' > r.json", {reward: "r.json", threshold: 0.7}),
    tests("sleep 30", {timeout: 50ms}),
    tests("no-such-program", {required: true}),
  ]`),
    );
    const done = await run("run", "t.harn", "--set", "s", "--quiet", "--json");
    expect(done).toMatchObject({ status: 0, stderr: "" });
    const metrics = (
      JSON.parse(done.stdout) as { tasks: { t: { metrics: Record<string, { value: number | null }> } } }
    ).tasks.t.metrics;
    expect(
      Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value])),
    ).toMatchObject({
      file_is: 0.5,
      file_is_2: 1,
      diff_is: 0.5,
      tests: 0.5,
      tests_2: 0.75,
      tests_3: null,
      tests_4: 0,
    });
    const shown = (await run("show", "s:b.1")).stdout;
    expect(shown).toContain("`sleep 30` did not end in 0.05 s");
    expect(shown).toContain("-Y");
    expect(existsSync(join(cwd, "out.txt"))).toBe(false);
    expect(sandboxes()).toEqual([]);
    expect((await run("replay", "s")).status).toBe(0);
    const before = readFileSync(join(cwd, "checks/run.sh"), "utf8");
    put("checks/run.sh", before.replace("HELLO", "X"));
    const again = await run("score", "s", "--scorer", "tests", "--quiet", "--json");
    expect(again.status).toBe(0);
    expect((await run("show", "s:a.1")).stdout).toMatch(/ tests {2,}FAIL/);
    expect((await run("show", "s:b.1")).stdout).toMatch(/ tests {2,}pass/);
    expect((await run("replay", "s")).status).toBe(0);
    expect(sandboxes()).toEqual([]);
  });

  it("keeps nothing when it is told so; what is gone then is unscored, not failed", async () => {
    put("template/keep.md", "keep");
    put(
      "t.harn",
      script('sandbox: {copy: "template", keep: "none"}\n  scorers: [file_is("out.txt"), tests("true")]'),
    );
    expect((await run("run", "t.harn", "--set", "s", "--quiet")).status).toBe(0);
    await run("score", "s", "--quiet");
    expect((await run("show", "s:a.1")).stdout).toContain(
      "there is no sandbox, or not all of its files were kept",
    );
  });

  it.each([
    ['sandbox: {files: {"../x": "y"}}', "sandbox.files.../x: expected a path inside of the sandbox"],
    ['sandbox: {files: {"a": 7}}', "sandbox.files.a: expected a text or {from: path}"],
    ['sandbox: {keep: "most"}', "sandbox.keep: expected"],
    [
      'sandbox: {files: {"a": {from: "nope.txt"}}}',
      "sandbox.files.a.from: expected the path of something that there is",
    ],
  ])("%s is refused", async (sandbox, said) => {
    put("t.harn", script(`${sandbox}\n  scorers: [no_error()]`));
    const { status, stderr, stdout } = await run("run", "t.harn", "--quiet");
    expect(stderr + stdout).toContain(said);
    expect(status).toBe(2);
  });
});
