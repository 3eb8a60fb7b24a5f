/** One misspelt name of each kind: `harn check` fails and names what was probably meant; `harn run` says so too. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("misspelt");
const env = { XDG_CACHE_HOME: join(folder, "cache") };

const script = `import { truncate_txt } from "std/text"
struct Point { x: int, label: string }
impl Point { fn norm(self) -> int { return self.x } }
tool reader(path: string) { read_file(pth) }
let one = tool_define(tool_registry(), "one", "d", {parameters: {path: {type: "string"}}, handler: { args -> args.pth }})
fn handler(args) { return args["patth"] }
let schema = {type: "object", properties: {path: {type: "string"}}}
let two = tool_define(tool_registry(), "two", "d", {parameters: {type: "object", properties: {path: {type: "string"}}}, handler: handler})
let open = tool_define(tool_registry(), "open", "d", {parameters: schema, handler: { args -> args.anything }})
fn f(p: Point, words: list<string>, s: strng) {
  p.nrom()
  words.fliter({ x -> x })
  log(p.lable)
  log("\${words.lenght}")
}
register_session_hook("PreCompct", { e -> nil })
let result = agent_loop("x", nil, {provider: "mock", control: {mod: 1, stall: {treshold: 2}}})
if result.status == "doen" { log("x") }
let own = agent_loop("x", nil, {provider: "mock", loop_control: { state -> nil }})
if own.status == "a state of its own" { log("x") }
if result.status == "success" { log(result.output) }
transcript.inject_remindr("x")
stream.mpa([1], f)
harness.fs.exsits("a")
totl(1)
fn total(x) { return x }
log(resutl)
`;

/** What must be said, and what was meant. */
const wanted: readonly (readonly [said: string, meant: string])[] = [
  ["'truncate_txt' is not defined in std/text", "truncate_text"],
  ["Undefined variable: pth", "path"],
  ["tool `one` has no parameter `pth`", "path"],
  ["tool `two` has no parameter `patth`", "path"],
  ["unknown type `strng`", "string"],
  ["Point has no method 'nrom'", "norm"],
  ["list has no method 'fliter'", "filter"],
  ["Point has no property 'lable'", "label"],
  ["list has no property 'lenght'", ""],
  ["`event` of register_session_hook is never `PreCompct`", "PreCompact"],
  ['control: unknown option "mod"', "mode"],
  ['control.stall: unknown option "treshold"', "threshold"],
  ["`status` of agent_loop is never `doen`", "done"],
  ["`status` of agent_loop is never `success`", "possible values: `done`"],
  ["the result of agent_loop has no key `output`", "answer"],
  ["transcript has no method 'inject_remindr'", "inject_reminder"],
  ["stream has no method 'mpa'", "map"],
  ["harness.fs has no method 'exsits'", "exists"],
  ["call target `totl` is not defined", "total"],
  ["Undefined variable: resutl", "result"],
];

interface Finding {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly help: string | null;
}

describe("misspelt names", () => {
  test("each is an error of the check, with a suggestion, and nothing else is", async () => {
    writeFileSync(join(folder, "all.harn"), script);
    const { stdout, status } = await harnHere(["check", "--json", "all.harn"], { cwd: folder, env });
    const lines = stdout.split("\n").filter((line) => line !== "");
    const errors = lines.map((line) => JSON.parse(line) as Finding).filter((one) => one.severity === "error");
    expect(status).toBe(1);
    for (const [said, meant] of wanted) {
      const found = errors.find((one) => one.message.includes(said));
      expect(found, said).toBeDefined();
      expect(`${found!.message} ${found!.help}`, said).toContain(meant);
    }
    const others = errors.filter((one) => !wanted.some(([said]) => one.message.includes(said)));
    expect(others.map((one) => one.message)).toEqual([]);
  });

  test("a run that can go on warns on standard error, one that must fail does not begin", async () => {
    writeFileSync(
      join(folder, "near.harn"),
      'println("ran")\nlet r = ["a"]\nprintln(try { r.fliter(len) } catch (e) { e })\nfn g(r: list) { return r.fliter(len) }\n',
    );
    const near = await harnHere(["run", "near.harn"], { cwd: folder, env });
    expect(near.stdout).toBe("ran\nRuntime error: list has no method 'fliter'; did you mean 'filter'?\n");
    expect(near.stderr).toMatch(/^warning: .*\(HARN-NAM-011\)$/m);
    expect(near.status).toBe(0);
    expect((await harnHere(["check", "near.harn"], { cwd: folder, env })).status).toBe(1);
    const certain = await harnHere(["run", "all.harn"], { cwd: folder, env });
    expect({ stdout: certain.stdout, status: certain.status }).toEqual({ stdout: "", status: 1 });
    expect(certain.stderr).toContain("Undefined variable: resutl");
  });
});
