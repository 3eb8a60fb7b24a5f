/** An explicit nil for an optional argument means its default (issue 12, item 20), for every builtin of the table. */
import { describe, expect, it } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { BuiltinFunction, type Task } from "../../../src/interp/index.ts";
import { nilIsDefault, parseSignature } from "../../../src/table/index.ts";
import type { Value } from "../../../src/values/index.ts";
import { runScript } from "../../support/run-script.ts";

const concerned = [...builtinTable().values()].filter(({ sig }) => nilIsDefault(sig).includes(true));

/** The first call of `name` in a line of code, divided: what is before it, its arguments, what is behind it. */
function callOf(
  code: string,
  name: string,
): { readonly before: string; readonly args: string[]; readonly after: string } | undefined {
  const at = new RegExp(`(?<![\\w.])${name}\\(`).exec(code);
  if (at === null) return undefined;
  const start = at.index + name.length + 1;
  const args: string[] = [];
  let depth = 0;
  let from = start;
  let quoted = false;
  for (let i = start; i < code.length; i++) {
    const char = code[i] as string;
    if (char === "\\") i++;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if ("([{".includes(char)) depth++;
    else if (depth > 0 && ")]}".includes(char)) depth--;
    else if (depth === 0 && (char === "," || char === ")")) {
      const arg = code.slice(from, i).trim();
      if (arg !== "") args.push(arg);
      from = i + 1;
      if (char === ")") return { before: code.slice(0, start), args, after: code.slice(i) };
    }
  }
  return undefined;
}

interface Pair {
  readonly name: string;
  readonly at: number;
  /** Absent when the example has no call of the builtin. */
  readonly without?: string;
  readonly withNil?: string;
}

/** Pairs of programs that must do the same: an example up to an optional argument, and the same with nil there. */
const pairs = concerned.flatMap(({ name, sig, example, effect }): Pair[] => {
  const code = example?.split("  // ")[0];
  if (code === undefined || effect !== "pure") return [];
  const call = callOf(code, name);
  if (call === undefined) return [{ name, at: 0 }];
  return nilIsDefault(sig).flatMap((omits, at) => {
    if (!omits || call.args.length < at) return [];
    const input = call.args.slice(0, at);
    const show = (args: readonly string[]) => `print(${call.before}${args.join(", ")}${call.after})`;
    return [{ name, at, without: show(input), withNil: show([...input, "nil"]) }];
  });
});

describe("an explicit nil", () => {
  it.each(concerned.map((spec) => [spec.name, spec] as const))("is no argument of %s", (_name, spec) => {
    const omits = nilIsDefault(spec.sig);
    const taken: (readonly Value[])[] = [];
    const run = (_task: Task, ...args: readonly Value[]) => {
      taken.push(args);
      return null;
    };
    const { name, area, doc, sig, suspends } = spec;
    const fn = new BuiltinFunction({ name, area, doc, sig, suspends, effect: "state", run });
    const task = {} as Task;
    const required = parseSignature(sig).params.filter(({ optional }) => !optional);
    const input: Value[] = required.map(({ name }) => name);
    const from = input.length;
    fn.call(task, [...input, ...omits.slice(from).map(() => null)]);
    // A nil that is a value stays, with what stands before it.
    const kept = omits.lastIndexOf(false) + 1;
    expect(taken[0]).toEqual(
      omits.slice(0, Math.max(kept, from)).map((omitted, at) => input[at] ?? (omitted ? undefined : null)),
    );
  });

  it.each(pairs.map((pair) => [`${pair.name}, argument ${pair.at + 1}`, pair] as const))(
    "is the default for %s",
    async (_title, { without, withNil }) => {
      expect(without).toBeDefined();
      const [expected, actual] = [await runScript(`${without}`), await runScript(`${withNil}`)];
      expect(actual.stdout).toBe(expected.stdout);
      expect(actual.error === "").toBe(expected.error === "");
    },
  );

  it("reaches a builtin where nil is a value", async () => {
    const { stdout } = await runScript(`
      print(json_stringify(nil)); print(" ")
      print(to_string(nil)); print(" ")
      print(type_of(nil)); print(" ")
      assert_eq(nil, nil)
      print(contains([nil], nil))`);
    expect(stdout).toBe("null nil nil true");
  });

  it("is the default for methods and for builtins that are values", async () => {
    const { stdout } = await runScript(`
      let glue = join
      println(glue(["a", "b"], nil))
      println(["a", "b"].join(nil))
      println("a,b".split(nil))
      println("a".pad_left(3, nil) + "|")
      println([["a", "b"], nil] |> { pair -> join(...pair) })`);
    expect(stdout).toBe("ab\nab\n[a, b]\n  a|\nab\n");
  });
});
