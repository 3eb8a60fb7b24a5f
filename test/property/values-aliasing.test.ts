/**
 * Collections are values (language.md §4, §7.3): generated programs that pass collections around and write into them,
 * run by the interpreter with its shared buffers and in-place writes, against a model that copies everything.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runScript } from "../support/run-script.ts";

type Tree = number | Tree[] | { [key: string]: Tree };
const names = ["a", "b", "c"] as const;
const keys = ["x", "y"] as const;

const isList = (tree: Tree | undefined): tree is Tree[] => Array.isArray(tree);
const isDict = (tree: Tree | undefined): tree is { [key: string]: Tree } =>
  typeof tree === "object" && !Array.isArray(tree);
/** Through text: structuredClone would keep parts shared. */
const copy = (tree: Tree): Tree => JSON.parse(JSON.stringify(tree)) as Tree;

function show(tree: Tree): string {
  if (typeof tree === "number") return String(tree);
  if (isList(tree)) return `[${tree.map(show).join(", ")}]`;
  const entries = Object.keys(tree)
    .sort()
    .map((key) => `${key}: ${show(tree[key] as Tree)}`);
  return `{${entries.join(", ")}}`;
}

/** Writes a program and computes what it prints, from a stream of choices. */
class Writer {
  /** Functions that the program calls. */
  static readonly prelude: string = [
    "fn same(x) { return x }",
    "fn changed(x) {",
    "  var y = x",
    '  if type_of(y) == "list" && len(y) > 0 { y[0] = 77 }',
    '  if type_of(y) == "dict" { y.x = 77 }',
    "  return y",
    "}",
  ].join("\n");
  readonly lines: string[] = [];
  readonly expected: string[] = [];
  private readonly state = new Map<string, Tree>();
  private readonly closures: { name: string; value: Tree }[] = [];
  private readonly choices: readonly number[];
  private at = 0;
  private fresh = 0;

  constructor(choices: readonly number[]) {
    this.choices = choices;
    for (const [name, tree] of [
      ["a", [1, [2, 3], { x: [4, 5] }]],
      ["b", { x: [6, 7], y: { x: 8 } }],
      ["c", [[9], [10, 11], 12]],
    ] as [string, Tree][]) {
      this.set(name, tree, `var ${name} = ${show(tree)}`);
    }
  }

  private pick(count: number): number {
    return (this.choices[this.at++] ?? 0) % count;
  }
  private name(): string {
    return names[this.pick(names.length)] as string;
  }
  private get(name: string): Tree {
    return this.state.get(name) as Tree;
  }
  private set(name: string, tree: Tree, line: string): undefined {
    this.state.set(name, copy(tree));
    this.lines.push(line);
  }

  get done(): boolean {
    return this.at >= this.choices.length;
  }

  /** A random place inside a collection: its text and how to change it in a copy. */
  private place(name: string): { text: string; found: Tree; write: (value: Tree) => Tree } | undefined {
    const root = copy(this.get(name));
    let holder: Tree = root;
    let text = name;
    for (let depth = this.pick(3); ; depth--) {
      let key: string | number;
      if (isList(holder) && holder.length > 0) {
        key = this.pick(holder.length);
        text += `[${key}]`;
      } else if (isDict(holder)) {
        key = keys[this.pick(2)] as string;
        text += this.pick(2) === 0 ? `.${key}` : `["${key}"]`;
      } else return undefined;
      const parent = holder as Record<string | number, Tree>;
      const found = parent[key];
      if (depth > 0 && typeof found === "object") {
        holder = found;
        continue;
      }
      if (found === undefined && depth > 0) return undefined;
      const write = (value: Tree): Tree => {
        parent[key] = copy(value);
        return root;
      };
      return { text, found: found ?? 0, write };
    }
  }

  step(): undefined {
    const v = this.name();
    const w = this.name();
    const n = this.pick(50) + 100;
    const value = this.get(v);
    const other = this.get(w);
    switch (this.pick(15)) {
      case 0:
        return this.set(v, other, `${v} = ${w}`);
      case 1:
      case 2: {
        const place = this.place(v);
        return place && this.set(v, place.write(n), `${place.text} = ${n}`);
      }
      case 3: {
        const place = this.place(v);
        return place && this.set(v, place.write(other), `${place.text} = ${w}`);
      }
      case 4: {
        const place = this.place(w);
        if (place === undefined || typeof place.found !== "object") return undefined;
        return this.set(v, place.found, `${v} = ${place.text}`);
      }
      case 5:
        return isList(value)
          ? this.set(v, [...value, n], n % 2 === 0 ? `${v} = ${v} + [${n}]` : `${v} += [${n}]`)
          : undefined;
      case 6:
        return isList(value) ? this.set(v, [...value, other], `${v} = ${v}.push(${w})`) : undefined;
      case 7:
        return isList(value) ? this.set(v, value.slice(0, 2), `${v} = ${v}.take(2)`) : undefined;
      case 8:
        return isDict(value)
          ? this.set(v, { ...value, y: other }, `${v} = ${v}.merge({y: ${w}})`)
          : undefined;
      case 9:
        return this.set(v, [other, n], `${v} = [${w}, ${n}]`);
      case 10: {
        const name = `f${this.fresh++}`;
        this.closures.push({ name, value: copy(other) });
        this.lines.push(`let ${name} = { -> ${w} }`);
        return undefined;
      }
      case 11:
        return this.set(v, changed(other), `${v} = changed(same(${w}))`);
      case 12:
        return this.readBetweenWrites(v, w, n);
      default:
        if (!isList(other) || other.length === 0) return undefined;
        this.set(v, other[other.length - 1] as Tree, `for e in ${w} { ${v} = e }`);
    }
  }

  /** Takes a part out of a collection that is being written in place: the likeliest place for a leak. */
  private readBetweenWrites(v: string, w: string, n: number): undefined {
    const place = this.place(w);
    if (v === w || place === undefined || typeof place.found !== "object") return undefined;
    const member = isList(place.found) ? 0 : "x";
    if (isList(place.found) && place.found.length === 0) return undefined;
    const part = (value: number): Tree => {
      const made = copy(place.found) as Record<string | number, Tree>;
      made[member] = value;
      return made;
    };
    const target = member === 0 ? `${place.text}[0]` : `${place.text}.x`;
    this.set(w, place.write(part(n)), `${target} = ${n}`);
    this.set(v, part(n), `${v} = ${place.text}`);
    return this.set(w, place.write(part(n + 1)), `${target} = ${n + 1}`);
  }

  /** Keeps programs readable: large collections start over. */
  trim(): void {
    for (const name of names)
      if (show(this.get(name)).length > 200) this.set(name, [[1], { x: 2 }], `${name} = [[1], {x: 2}]`);
  }

  finish(): void {
    for (const name of names) {
      this.lines.push(`println(${name})`);
      this.expected.push(show(this.get(name)));
    }
    for (const { name, value } of this.closures) {
      this.lines.push(`println(${name}())`);
      this.expected.push(show(value));
    }
  }
}

function changed(tree: Tree): Tree {
  const result = copy(tree);
  if (isList(result) && result.length > 0) result[0] = 77;
  if (isDict(result)) result.x = 77;
  return result;
}

test("no write is seen through another name", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(1000), { minLength: 60, maxLength: 400, size: "max" }),
      async (choices) => {
        const writer = new Writer(choices);
        while (!writer.done) {
          writer.step();
          writer.trim();
        }
        writer.finish();
        const body = writer.lines.join("\n");
        // Variables of the file live in cells, those of a function in slots.
        for (const text of [body, `fn body() {\n${body}\n}\nbody()`]) {
          const program = `${Writer.prelude}\n${text}`;
          const run = await runScript(program);
          expect(run.error, program).toBe("");
          expect(run.stdout.trimEnd().split("\n"), program).toEqual(writer.expected);
        }
      },
    ),
    { numRuns: 150, seed: 7 },
  );
});
