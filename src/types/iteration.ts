/** What loops, spreads and `parallel` go over, as far as its type is known (language.md §10, §13.1). */
import type { Expr, For, Parallel, Pattern } from "../syntax/index.ts";
import { foreignToEntries } from "../syntax/nodes.ts";
import type { Checker } from "./checker.ts";
import { showType } from "./model/show-type.ts";
import { int, nil, type Type, widened } from "./model/type.ts";
import { choices, resolvedAlias } from "./model/type-scope.ts";
import { elementOf } from "./operators.ts";

/** Types that a loop goes over; `pulled` those that only a loop does. */
const held: ReadonlySet<string> = new Set(["list", "dict", "set", "range", "nil"]);
const pulled: ReadonlySet<string> = new Set([
  "iter",
  "Generator",
  "generator",
  "Stream",
  "stream",
  "channel",
]);
/** Types of values that are certainly no collection. */
const single: ReadonlySet<string> = new Set([
  "string",
  "int",
  "float",
  "decimal",
  "bool",
  "bytes",
  "duration",
  "closure",
  "pair",
  "Pair",
  "Result",
  "task_handle",
  "atomic",
]);

/** Reports what no loop, or no `parallel each`, can go over. */
export function checkIterated(c: Checker, node: Expr, type: Type, isLoop: boolean): void {
  if (!choices(type).every((one) => cannotIterate(widened(one), isLoop))) return;
  const text = `cannot iterate over ${showType(type)}`;
  c.report("HARN-TYP-029", node, { text, help: iterationHint(c, node, resolvedAlias(type), isLoop) });
}

function cannotIterate(type: Type, isLoop: boolean): boolean {
  if (type.kind === "fn") return true;
  if (type.kind !== "name") return false;
  if (type.decl !== undefined) return type.decl.node.kind !== "InterfaceDecl";
  return single.has(type.name) || (!isLoop && pulled.has(type.name));
}

function iterationHint(c: Checker, node: Expr, type: Type, isLoop: boolean): string {
  const base = widened(type);
  const name = base.kind === "name" ? base.name : "";
  if (name === "string") return `write \`${node.kind === "Identifier" ? node.name : "s"}.chars()\``;
  if (name === "int" || name === "float") return `write \`0 to ${c.source.slice(node)} exclusive\``;
  if (!isLoop && pulled.has(name)) return "write `.to_list()` behind it";
  return `${isLoop ? "a loop goes" : "this goes"} over lists, dicts, sets and ranges`;
}

/** `parallel n`, `parallel each xs`: the type of what each body is called with. */
export function parallelItem(c: Checker, node: Parallel, subject: Type): Type {
  if (node.mode !== "count") {
    checkIterated(c, node.subject, subject, false);
    return elementOf(subject);
  }
  const wrong = choices(subject).every((one) => !mayBeCount(widened(one)));
  if (wrong && resolvedAlias(subject) !== nil)
    c.report("HARN-TYP-029", node.subject, {
      text: `\`parallel\` takes a number, got ${showType(subject)}`,
      help: choices(subject).some(
        (one) => one.kind === "shape" || (one.kind === "name" && held.has(one.name)),
      )
        ? "write `parallel each … { x -> … }`"
        : "write how many bodies there are: `parallel 3 { i -> … }`",
    });
  return int;
}

/** Only types whose values are certainly no int are refused. */
function mayBeCount(type: Type): boolean {
  if (type.kind === "shape" || type.kind === "fn") return false;
  return (
    type.kind !== "name" ||
    type === int ||
    (type.decl === undefined && !held.has(type.name) && !single.has(type.name))
  );
}

/** The names of a loop's pattern: that the entries of a dict have them. */
export function checkLoopPattern(c: Checker, node: For, over: Type): void {
  const type = resolvedAlias(over);
  const isDict = type.kind === "shape" || (type.kind === "name" && type.name === "dict");
  const foreign = isDict ? foreignToEntries(node.pattern) : undefined;
  if (foreign === undefined) return;
  const [text, help] = foreign.split("; ") as [string, string];
  const at = firstForeign(node.pattern);
  c.report("HARN-NAM-004", at, { text, help, name: "", names: [] });
}

function firstForeign(pattern: Pattern): Pattern | { readonly start: number; readonly end: number } {
  if (pattern.kind !== "DictPattern") return pattern;
  return pattern.entries.find(({ key }) => key.text !== "key" && key.text !== "value")?.key ?? pattern;
}

/** Only lists spread; nil spreads into nothing. */
export function checkSpread(c: Checker, node: Expr, type: Type): void {
  const wrong = choices(type).every((one) => {
    const base = widened(one);
    if (base.kind === "name" && held.has(base.name)) return base.name !== "list" && base !== nil;
    return base.kind === "shape" || cannotIterate(base, false);
  });
  if (wrong)
    c.report("HARN-TYP-029", node, {
      text: `cannot spread ${showType(type)}: only lists spread here`,
      help: iterationHint(c, node, resolvedAlias(type), false).replace(
        /^this goes.*/,
        "write `.to_list()` behind it",
      ),
    });
}
