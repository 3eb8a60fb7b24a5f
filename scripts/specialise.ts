/**
 * The fast forms of the binary operators: `src/lower/generated/*.ts`, from the tables in this file (`npm run specialise`;
 * `--check` only says whether they are up to date, and so does a test).
 *
 * Why written-out variants at all: V8 keeps its type feedback per function literal, and a node reads its operands
 * itself where it can. One literal per operator that asks at run time what its operands are (slot? constant?) was
 * measured: slower on nearly every kernel, by 15 % for calls and locals, 28 % for struct fields, half as much again for
 * arithmetic. So the variants are literals, and a script writes them.
 *
 * A variant is what its two operands are, and what becomes of the result: given, or stored in a slot. `src/lower/
 * specialise.ts` holds what the generated code calls.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** An operator on ints; anything else goes to `slow` of `values/operators.ts`. */
interface Arithmetic {
  readonly name: string;
  readonly slow: string;
  /** The result for ints `x` and `y`. */
  readonly result: (x: string, y: string) => string;
  /** The result of safe ints may be unsafe. */
  readonly grows: boolean;
  /** Ints for which `result` does not hold. */
  readonly except?: string;
  /** It also joins strings. */
  readonly text?: boolean;
  /** Its left operand may be `slot + int` and the like, computed in the same node. */
  readonly nests: boolean;
  /** It reads members of variables itself. */
  readonly members: boolean;
}

// `+ 0` makes 0 of -0, which no int is.
const arithmetic: readonly Arithmetic[] = [
  {
    name: "plus",
    slow: "add",
    result: (x, y) => `${x} + ${y}`,
    grows: true,
    text: true,
    nests: true,
    members: true,
  },
  {
    name: "minus",
    slow: "subtract",
    result: (x, y) => `${x} - ${y}`,
    grows: true,
    nests: true,
    members: true,
  },
  {
    name: "times",
    slow: "multiply",
    result: (x, y) => `${x} * ${y} + 0`,
    grows: true,
    nests: true,
    members: true,
  },
  {
    name: "over",
    slow: "divide",
    result: (x, y) => `Math.trunc(${x} / ${y}) + 0`,
    grows: false,
    except: "y !== 0",
    nests: false,
    members: false,
  },
  {
    name: "rest",
    slow: "modulo",
    result: (x, y) => `(${x} % ${y}) + 0`,
    grows: false,
    except: "y !== 0",
    nests: true,
    members: false,
  },
];

/** Operators that a nested left operand may have. */
const inner: readonly (readonly [op: string, result: (x: string, y: string) => string])[] = [
  ["+", (x, y) => `${x} + ${y}`],
  ["-", (x, y) => `${x} - ${y}`],
  ["*", (x, y) => `${x} * ${y} + 0`],
];

interface Comparison {
  readonly name: string;
  readonly sign: string;
  /** What decides for everything but two ints, as an expression of `x` and `y`. */
  readonly slow: string;
  readonly uses: string;
  /** `slot % int` compared with an int is computed in the same node. */
  readonly remainder?: boolean;
}

const comparisons: readonly Comparison[] = [
  { name: "less", sign: "<", slow: "ordered(lessThan, x, y, f)", uses: "lessThan" },
  { name: "lessEqual", sign: "<=", slow: "ordered(lessOrEqual, x, y, f)", uses: "lessOrEqual" },
  { name: "greater", sign: ">", slow: "ordered(greaterThan, x, y, f)", uses: "greaterThan" },
  { name: "greaterEqual", sign: ">=", slow: "ordered(greaterOrEqual, x, y, f)", uses: "greaterOrEqual" },
  { name: "equal", sign: "===", slow: "same(x, y, f)", uses: "same", remainder: true },
  { name: "notEqual", sign: "!==", slow: "!same(x, y, f)", uses: "same" },
];

/** What an operand is: `f[i]`, an int known before the run, a member of `f[i]`, or a node to be called. */
type Kind = "slot" | "int" | "member" | "node";

interface Operand {
  /** Whether the variant applies. */
  readonly when: string;
  /** What the node remembers. */
  readonly keeps: string;
  /** How it gets the value. */
  readonly reads: string;
}

const lefts: Readonly<Record<Exclude<Kind, "int">, Operand>> = {
  slot: { when: "a.slot >= 0", keeps: "const i = a.slot;", reads: "const x = f[i];" },
  member: {
    when: "a.member !== undefined",
    keeps: "const m = a.member;",
    reads: "const x = memberValue(f, m);",
  },
  node: { when: "", keeps: "const left = a.run;", reads: "const x = left(f);" },
};

const rights: Readonly<Record<Kind, Operand>> = {
  int: { when: 'typeof b.constant === "number"', keeps: "const y = b.constant;", reads: "" },
  slot: { when: "b.slot >= 0", keeps: "const j = b.slot;", reads: "const y = f[j];" },
  member: {
    when: "b.member !== undefined",
    keeps: "const n = b.member;",
    reads: "const y = memberValue(f, n);",
  },
  node: { when: "", keeps: "const right = b.run;", reads: "const y = right(f);" },
};

/** The first that applies is taken. */
const pairs: readonly (readonly [left: keyof typeof lefts, right: Kind])[] = [
  ["slot", "int"],
  ["slot", "slot"],
  ["slot", "node"],
  ["node", "int"],
  ["node", "slot"],
  ["node", "node"],
];

/** For operators that members are commonly operands of. */
const memberPairs: typeof pairs = [
  ["member", "member"],
  ["slot", "member"],
  ["node", "member"],
  ["member", "node"],
];

const bothInts = (right: Kind): string =>
  right === "int" ? 'typeof x === "number"' : 'typeof x === "number" && typeof y === "number"';

/** The first test alone decides nearly always, between two int32s: asked in this order, ints cost a fifth less. */
const isSafe = (name: string): string => `((${name} | 0) === ${name} || (${name} <= MAX && ${name} >= -MAX))`;

/** A variant for every pair of operands; `body` is what follows the reading of `x` and `y`. */
function forEachPair(body: (right: Kind) => string, some = pairs): string {
  return some
    .map(([left, right]) => {
      const a = lefts[left];
      const b = rights[right];
      const made = `${a.keeps} ${b.keeps} return (f) => { ${a.reads} ${b.reads} ${body(right)} };`;
      const when = [a.when, b.when].filter((test) => test !== "").join(" && ");
      return when === "" ? made : `if (${when}) { ${made} }`;
    })
    .join("\n");
}

/** What becomes of a result: the node gives it, or stores it and gives no completion. */
type Finish = (result: string) => string;
const give: Finish = (result) => `return ${result};`;
const store: Finish = (result) => `f[target] = ${result}; return undefined;`;

/** From the values of two operands to the end of the node. */
function compute(one: Arithmetic, right: Kind, finish: Finish): string {
  const ints = one.except === undefined ? bothInts(right) : `${bothInts(right)} && ${one.except}`;
  const result = one.result("x", "y");
  const fast = one.grows
    ? `if (${ints}) { const r = ${result}; if (${isSafe("r")}) { ${finish("r")} } }`
    : `if (${ints}) { ${finish(result)} }`;
  const text =
    one.text && right !== "int"
      ? `if (typeof x === "string" && typeof y === "string" && x.length + y.length < SHORT_TEXT) { ${finish("x + y")} }`
      : "";
  return `${fast} ${text} ${finish(`slow(${one.slow}, x, y, site)`)}`;
}

/** `(slot op int) op int`: both in one node; the left node itself is called only for what is no small int. */
function nested(one: Arithmetic, finish: Finish): string {
  if (!one.nests) return "";
  const when = ["a.inner !== undefined", 'typeof b.constant === "number"', one.except && "b.constant !== 0"];
  const variants = inner.map(([op, result]) => {
    const outer = one.result("m", "y");
    const fast = one.grows
      ? `const r = ${outer}; if (${isSafe("m")} && ${isSafe("r")}) { ${finish("r")} }`
      : `if (${isSafe("m")}) { ${finish(outer)} }`;
    return `if (a.inner.op === "${op}") return (f) => {
      const z = f[i];
      if (typeof z === "number") { const m = ${result("z", "c")}; ${fast} }
      ${finish(`slow(${one.slow}, left(f), y, site)`)}
    };`;
  });
  return `if (${when.filter(Boolean).join(" && ")}) {
    const { slot: i, by: c } = a.inner; const left = a.run; const y = b.constant;
    ${variants.join("\n")}
  }`;
}

/** An operand may wait: whatever is no int leaves the node, so that ints never meet a test for a promise. */
function waiting(one: Arithmetic, stored: boolean): string {
  const finish = stored ? store : give;
  const result = one.result("x", "y");
  const ints = one.except === undefined ? 'typeof y === "number"' : `typeof y === "number" && ${one.except}`;
  const fast = one.grows
    ? `if (${ints}) { const r = ${result}; if (${isSafe("r")}) { ${finish("r")} } }`
    : `if (${ints}) { ${finish(result)} }`;
  const end = (call: string) => (stored ? `return storeLater(f, target, ${call});` : `return ${call};`);
  const variant = (left: keyof typeof lefts) => `${lefts[left].keeps} return (f) => {
    ${lefts[left].reads}
    if (typeof x === "number") { const y = right(f); ${fast} ${end(`withRight(${one.slow}, x, y, site)`)} }
    ${end(`withLeft(f, ${one.slow}, x, right, site)`)}
  };`;
  return `if (a.may || b.may) {
    const right = b.run;
    if (${lefts.slot.when}) { ${variant("slot")} }
    ${variant("node")}
  }`;
}

const pairsOf = (one: Arithmetic): typeof pairs => (one.members ? [...memberPairs, ...pairs] : pairs);

function arithmeticFile(one: Arithmetic): string {
  return `import { ${one.slow} } from "../../values/index.ts";
${one.members ? 'import { memberValue } from "../places/member-read.ts";' : ""}
import { MAX, ${one.text ? "SHORT_TEXT, " : ""}type Specialised, type Storing, slow, storeLater, withLeft, withRight } from "../specialise.ts";

export const ${one.name}: Specialised = (a, b, site) => {
  ${waiting(one, false)}
  ${nested(one, give)}
  ${forEachPair((right) => compute(one, right, give), pairsOf(one))}
};

/** The result goes into a slot. */
export const ${one.name}To: Storing = (a, b, site, target) => {
  ${waiting(one, true)}
  ${nested(one, store)}
  ${forEachPair((right) => compute(one, right, store), pairsOf(one))}
};
`.replace("MAX, ", one.grows || one.nests ? "MAX, " : "");
}

/** Branches come in fewer forms: most conditions look at a variable. */
const branchPairs: typeof pairs = [
  ["slot", "int"],
  ["slot", "slot"],
  ["node", "int"],
  ["node", "node"],
];

/** `slot % int` compared with an int, in one node. */
function remainder(one: Comparison, finish: Finish): string {
  if (!one.remainder) return "";
  return `if (a.remainder !== undefined && typeof b.constant === "number") {
    const { slot, by } = a.remainder; const left = a.run; const y = b.constant;
    return (f) => {
      const z = f[slot];
      ${finish(`typeof z === "number" ? z % by ${one.sign} y : ${one.slow.replace("x,", "left(f),")}`)}
    };
  }`;
}

const choose: Finish = (test) => `return (${test}) ? yes(f) : no === undefined ? undefined : no(f);`;

function comparisonFile(one: Comparison): string {
  const equality = one.uses === "same";
  const imports = equality
    ? 'import { same } from "../specialise.ts";'
    : `import { ${one.uses} } from "../../values/index.ts"; import { ordered } from "../specialise.ts";`;
  const decide = one.slow.startsWith("same") ? "same" : "decide";
  const decides =
    decide === "same" ? "" : `const decide = (x: Value, y: Value, f: Frame): boolean => ${one.slow};`;
  const test = (right: Kind) => `${bothInts(right)} ? x ${one.sign} y : ${one.slow}`;
  return `${decides === "" ? "" : 'import type { Frame } from "../../interp/index.ts"; import type { Value } from "../../values/index.ts";'}
${imports}
import { type Branching, type Specialised, compareLeft, compareRight } from "../specialise.ts";

${decides}

export const ${one.name}: Specialised = (a, b, site) => {
  if (a.may || b.may) {
    const left = a.run; const right = b.run;
    return (f) => {
      const x = left(f);
      if (typeof x === "number") {
        const y = right(f);
        return typeof y === "number" ? x ${one.sign} y : compareRight(f, ${decide}, x, y, site);
      }
      return compareLeft(f, ${decide}, x, right, site);
    };
  }
  ${remainder(one, give)}
  ${forEachPair((right) => give(test(right)))}
};

/** One of two nodes. */
export const ${one.name}Branch: Branching = (a, b) => (yes, no) => {
  ${remainder(one, choose)}
  ${forEachPair((right) => choose(test(right)), branchPairs)}
};
`;
}

const HEADER = "// Made by scripts/specialise.ts (`npm run specialise`): change the tables there.\n";

const fileName = (name: string): string =>
  `src/lower/generated/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

/** Formatted as everything else is. */
const formatted = (path: string, text: string): string =>
  execFileSync(
    process.execPath,
    [join(root, "node_modules/@biomejs/biome/bin/biome"), "check", "--write", `--stdin-file-path=${path}`],
    { input: text, encoding: "utf8", cwd: root },
  );

/** Every generated file, by its path from the root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const texts = [
    ...arithmetic.map((one) => [fileName(one.name), HEADER + arithmeticFile(one)] as const),
    ...comparisons.map((one) => [fileName(one.name), HEADER + comparisonFile(one)] as const),
  ];
  return new Map(texts.map(([path, text]) => [path, formatted(path, text)]));
}

function main(): void {
  const isCheck = process.argv.includes("--check");
  for (const [path, text] of generatedFiles()) {
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
    console.log(`${isCheck ? "out of date" : "written"}: ${path}`);
    if (isCheck) process.exitCode = 1;
    else {
      mkdirSync(join(root, "src/lower/generated"), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
