/** Many runs of a program over the code that the first of them has lowered: each is as if it were the only one. */
import { expect, test } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { Runtime } from "../../../src/interp/index.ts";
import { LoweredCode, runProgram } from "../../../src/lower/index.ts";
import { liveEffects } from "../../support/concurrent.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { compileScript } from "../../support/run-script.ts";

const module = `pub struct Point { x: int }
var count = 0
let grown = [1, 2]
pub fn next() {
  count = count + 1
  return count
}
pub fn list() { return grown }
`;

const program = `import "m"
struct Pair { a: int }
let seen = {}
var total = 0
if total == 0 {
  impl Pair { fn sum(self) { return self.a + total } }
}
fn add(x) {
  total = total + x
  return total
}
let f = { x -> add(x) + next() }
tool look(id: string) -> string {
  description "Looks"
  id
}
log(f(2))
log(f(3))
log(list())
log(Pair{a: 1}.sum())
log([1, 2] |> "add_all")
fn add_all(xs) { return len(xs) }
`;

async function printedBy(
  executable: ReturnType<typeof compileScript>["program"],
  code: LoweredCode | undefined,
  depth: number,
): Promise<string> {
  if (executable === undefined) throw new Error("the program does not compile");
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const runtime = new Runtime({
    effects: liveEffects(),
    host: createMemoryHost(),
    console: { write, writeError: write },
    builtins: table,
    limits: { depth },
  });
  const outcome = await runProgram(runtime, executable, code === undefined ? {} : { code });
  return `${text}${outcome.error?.text ?? ""}${outcome.exitCode}`;
}

const table = builtinTable();

test("variables, methods and names of one run are not there in the next", async () => {
  const executable = compileScript(program, { files: { "m.harn": module } }).program;
  const alone = await printedBy(executable, undefined, 100);
  expect(alone).toBe("[harn] 3\n[harn] 5\n[harn] [1, 2]\n[harn] 1\n[harn] 2\n0");
  const code = new LoweredCode();
  const runs = [];
  for (let n = 0; n < 3; n++) runs.push(await printedBy(executable, code, 100));
  expect(runs).toEqual([alone, alone, alone]);
});

test("code that was lowered for other limits is not taken", async () => {
  const deep = compileScript("fn f(n) { return n == 0 ? 0 : 1 + f(n - 1) }\nlog(f(50))").program;
  const code = new LoweredCode();
  expect(await printedBy(deep, code, 100)).toBe("[harn] 50\n0");
  expect(await printedBy(deep, code, 20)).toContain("Stack overflow");
  expect(await printedBy(deep, code, 100)).toBe("[harn] 50\n0");
});
