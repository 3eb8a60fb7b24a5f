/** `harn.toml`: what nothing reads, and what has a wrong type, is said once with its place (issue 12, item 18). */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifestFields } from "../../../../src/manifest/manifest-fields.ts";
import { harn } from "../../../support/run-cli.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const root = tempFolder("manifest");

let count = 0;

/** Two programs below a manifest; what a command says of them. */
function project(toml: string): (...args: string[]) => { status: number | null; out: string; err: string } {
  const folder = join(root, `p${count++}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "harn.toml"), toml);
  for (const name of ["a", "b"]) writeFileSync(join(folder, `${name}.harn`), 'println("ran")\n');
  writeFileSync(join(folder, "recorded.harn"), "println(now_ms() > 0)\n");
  for (const name of ["one", "two"])
    writeFileSync(join(folder, `${name}_test.harn`), `pipeline test_${name}(task) {\n  assert(true)\n}\n`);
  return (...args) => {
    const done = harn(args, { cwd: folder, env: { HARN_STATE_DIR: join(folder, "state") } });
    return { status: done.status, out: done.stdout, err: done.stderr };
  };
}

describe("the project's manifest", () => {
  it("with everything that is documented is fine", () => {
    const run = project(`[package]
name = "x"
version = "1"
license = "none"
[dependencies]
y = { path = "../y" }
[exports]
m = "m.harn"
[asset_roots]
prompts = "p"
[fmt]
line_width = 80
[lint]
disabled = ["mutable-never-reassigned"]
severity = { mutable-never-reassigned = "off" }
[resume]
on_doubt = "fail"
[skills]
paths = ["s"]
_note = 1
[[skill.source]]
type = "fs"
path = "s"
[[mcp]]
name = "files"
command = ["true"]
lazy = true
[llm.models.m]
provider = "openai"
pricing = { input_per_mtok = 1, output_per_mtok = 2.5 }
[[capabilities.provider.mock]]
model_match = "m*"
[environments.staging]
notes = "n"
variables = { A = "1" }
policy = { side_effect_level = "read_only" }
`);
    expect(run("check", "a.harn")).toMatchObject({ status: 0, err: "" });
    expect(run("run", "a.harn")).toMatchObject({ status: 0, out: "ran\n", err: "" });
  });

  it("fails harn check once, with line and suggestion, and is a warning in a run", () => {
    const run = project('[lint]\ndisable = []\n\n[fmt]\nline_width = "80"\n\n[assets]\nx = 1\n');
    const checked = run("check", "--json", "a.harn", "b.harn");
    const found = checked.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(checked.status).toBe(1);
    expect(found.map((one) => [one.severity, one.start.line, one.message, one.help])).toEqual([
      ["error", 2, "harn.toml: unknown key `disable` in [lint]", 'did you mean "disabled"?'],
      [
        "error",
        5,
        'harn.toml: `fmt.line_width`: expected int, got "80"',
        "what it is: The most columns of a line.",
      ],
      ["error", 7, "harn.toml: unknown section [assets]", expect.any(String)],
    ]);
    const ran = run("run", "a.harn");
    expect(ran).toMatchObject({ status: 0, out: "ran\n" });
    expect(ran.err.match(/^warning: .* \(HARN-OPT-004\)$/gm)).toHaveLength(3);
    expect(ran.err).toContain("harn.toml:2:1");
  });

  it.each([
    ['[resume]\non_dout = "fail"\n', "unknown key `on_dout` in [resume]"],
    ['[resume]\non_doubt = "fial"\n', "`resume.on_doubt`: expected"],
    ['[reume]\non_doubt = "fail"\n', "unknown section [reume]"],
    ['[environments.s]\npolicy = { tol = ["x"] }\n', "unknown key `tol` in [environments.s.policy]"],
  ])("does not let a run begin without a bound: %j", (toml, text) => {
    const ran = project(toml)("run", "a.harn");
    expect(ran).toMatchObject({ status: 1, out: "" });
    expect(ran.err).toContain(text);
  });

  it.each([
    ["[[mcp]]\nname = 'a'\ncomand = 'x'\n", 'unknown option "comand", did you mean "command"?', "[[mcp]]"],
    ["[llm.models.m]\nprovder = 'x'\n", 'models.m: unknown option "provder"', "[llm.models.m]"],
    [
      "[[capabilities.provider.x]]\nmodel = 'x'\n",
      'capabilities.provider.x[0]: unknown option "model"; expected one of model_match',
      "[[capabilities",
    ],
  ])("tells harn check what its readers refuse: %j", (toml, text, line) => {
    const { status, err } = project(toml)("check", "a.harn");
    expect(status).toBe(1);
    expect(err).toContain(text);
    expect(err).toContain(line);
  });

  it("has sections that nothing reads; that is said, too", () => {
    const { status, err } = project("[check]\nx = 1\n")("check", "a.harn");
    expect(status).toBe(0);
    expect(err).toContain("nothing reads [check]");
  });

  it("reports an unknown key in every section that has rows", () => {
    for (const { name, type, nested } of manifestFields.rows) {
      if (nested === undefined || nested.others !== undefined) continue;
      const header = type.startsWith("list")
        ? `[[${name}]]`
        : type.includes("dict<string,")
          ? `[${name}.one]`
          : `[${name}]`;
      const { status, err } = project(`${header}\nzzzzqqqq = 1\n`)("check", "a.harn");
      expect([name, status, err.includes("zzzzqqqq")]).toEqual([name, 1, true]);
    }
  });
});

describe("every command that runs programs says what is wrong with the manifest", () => {
  const toml = "[lint]\ndisable = []\n";

  it("harn test, once for all files", () => {
    const ran = project(toml)("test", ".");
    expect(ran.err.match(/unknown key `disable`/g)).toHaveLength(1);
  });

  it("harn replay", () => {
    const run = project(toml);
    expect(run("run", "recorded.harn").err).toContain("unknown key `disable`");
    const replayed = run("replay", "last");
    expect(replayed).toMatchObject({ status: 0, out: "true\n" });
    expect(replayed.err).toContain("unknown key `disable`");
  });

  it("none of them begins without a bound", () => {
    const run = project('[resume]\non_dout = "fail"\n');
    expect(run("test", ".").status).toBe(1);
    const served = run("mcp-serve", "a.harn");
    expect(served.status).toBe(1);
    expect(served.err).toContain("unknown key `on_dout`");
  });
});

describe("rules of capabilities", () => {
  it.each([
    ["vison = true", 'capabilities.provider.house[0]: unknown option "vison", did you mean "vision"?'],
    ['vision = "yes"', 'capabilities.provider.house[0].vision: expected bool, got string "yes"'],
    ['thinking_default = "maybe"', 'thinking_default: expected "off", "on" or "always", got string "maybe"'],
  ])("take no unknown keys and no wrong types: %s", (line, text) => {
    const run = project(`[[capabilities.provider.house]]\nmodel_match = "h*"\n${line}\n`);
    const { status, err } = run("check", "a.harn");
    expect(status).toBe(1);
    expect(err).toContain(text);
  });
});
