/**
 * Methods and properties that a known type certainly does not have: calling or reading one ends the program. Nothing is
 * said of dicts (their entries are not known) and of values that may be of several types.
 */

import type { Arg, Closure, Expr, Member, MethodCall, Node } from "../syntax/index.ts";
import { callsWith, methodNames } from "../table/index.ts";
import { enumProperties, hasNo, listProperties, stringProperties } from "../values/index.ts";
import type { Checker } from "./checker.ts";
import { walkType } from "./model/tree.ts";
import type { ReferenceType, Type } from "./model/type.ts";
import { typeDeclOf } from "./model/type-scope.ts";

export function checkMethod(c: Checker, node: MethodCall, type: Type): void {
  const name = node.name.text;
  const known = methodsOfType(c, type);
  if (known === undefined || known.names.includes(name)) {
    checkCallback(c, node, plainName(type) ?? (type.kind === "shape" ? "dict" : ""));
    return;
  }
  const instead = c.hasBuiltin(name) ? `did you mean the function ${name}(…)?` : undefined;
  const text = hasNo(known.of, "method", name, known.names, instead);
  c.report("HARN-NAM-011", node.name, { text, names: known.names });
}

/** What a method of a collection is given to call: a function of as many parameters as it gives values. */
function checkCallback(c: Checker, node: MethodCall, type: string): void {
  const { name, args } = node;
  const calls = callsWith(type, name.text);
  const given = calls && args[calls.at];
  if (args.some((arg) => arg.kind === "Spread" || arg.kind === "NamedArg")) return;
  if (calls === undefined) checkUncalled(c, node, type);
  else if (given?.kind === "Closure") checkParams(c, given, name.text, calls.count);
  else if (given === undefined || isLiteralArg(given))
    c.report("HARN-ORC-014", given ?? node.name, {
      text: `\`${name.text}\` of a ${runtimeName(type)} is given no function${calls.at === 1 ? " behind what it begins with" : ""}`,
      help:
        calls.at === 1 ? `write \`${name.text}(0, { sum, x -> … })\`` : `write \`${name.text}({ x -> … })\``,
    });
}

function checkParams(c: Checker, node: Closure, method: string, count: number): void {
  const extra = node.params[count];
  if (extra === undefined || extra.rest || extra.default !== undefined || extra.name.text.startsWith("_"))
    return;
  c.report("HARN-ORC-014", extra.name, {
    text: `\`${extra.name.text}\` is always nil: \`${method}\` calls its function with ${count === 1 ? "one value" : `${count} values`}`,
    help:
      count === 1
        ? `remove it; positions come from \`.enumerate()\`, pairs of a dict from \`.entries()\``
        : "remove it",
  });
}

/** `xs.sort({ a, b -> … })` sorts without asking. */
function checkUncalled(c: Checker, { name, args }: MethodCall, type: string): void {
  if (type === "list" && name.text === "sort" && args[0]?.kind === "Closure")
    c.report("HARN-ORC-014", args[0], {
      text: "`sort` takes no function and calls none",
      help: "write `sort_by({ x -> … })` with what to sort by",
    });
}

const isLiteralArg = (node: Arg): boolean =>
  node.kind === "StringLit" || node.kind === "IntLit" || node.kind === "FloatLit" || node.kind === "ListLit";

export function checkProperty(c: Checker, node: Member, type: Type): void {
  if (node.optional) return;
  const name = node.name.text;
  const known = propertiesOfType(c, type);
  if (known === undefined || known.names.includes(name)) return;
  const isMethod = methodsOfType(c, type)?.names.includes(name) === true;
  const text = hasNo(
    known.of,
    "property",
    name,
    known.names,
    isMethod ? `write '${name}()' to call the method` : undefined,
  );
  // Fields that a struct does not declare may have been set, or filled in by a schema.
  if (known.open && !isMethod && !text.includes("did you mean")) return;
  c.report("HARN-NAM-012", node.name, { text, names: known.names });
}

/** A member of a namespace of the language: `stream.map`, `harness.fs.exists`, or of a family of builtins: `transcript.render`. */
export function checkNamespace(c: Checker, node: MethodCall): void {
  const path = namespacePath(c, node.receiver);
  if (path === undefined || c.members === undefined) return;
  const name = node.name.text;
  const names =
    c.members.namespaces.get(path) ??
    (isBuiltin(c, node.receiver) ? familyOf(c.members.builtinNames(), path) : []);
  if (names.length === 0 || names.includes(name)) return;
  c.report("HARN-NAM-011", node.name, { text: hasNo(path, "method", name, names), names });
}

/** Other globals hold what nobody knows before the run: `mcp` the servers of the project. */
const isBuiltin = (c: Checker, node: Expr): boolean => {
  const ref = node.kind === "Identifier" ? c.module.refs.get(node) : undefined;
  return ref !== undefined && "kind" in ref && ref.kind === "builtin";
};

/** `stream`, `harness.fs`, `transcript`: what the program itself does not declare. */
function namespacePath(c: Checker, node: Expr): string | undefined {
  if (node.kind === "Member") {
    const outer = namespacePath(c, node.object);
    return outer === undefined ? undefined : `${outer}.${node.name.text}`;
  }
  if (node.kind !== "Identifier") return undefined;
  const ref = c.module.refs.get(node);
  return ref !== undefined && "kind" in ref && (ref.kind === "builtin" || ref.kind === "global")
    ? node.name
    : undefined;
}

/** The builtins `FAMILY_name`, which are methods of the builtin FAMILY. */
function familyOf(builtins: Iterable<string>, family: string): string[] {
  const prefix = `${family}_`;
  return [...builtins].flatMap((one) => (one.startsWith(prefix) ? one.slice(prefix.length) : []));
}

interface MemberNames {
  /** What messages call the type. */
  readonly of: string;
  readonly names: readonly string[];
  /** There may be more. */
  readonly open?: boolean;
}

/** A builtin type by its own name, a string literal as a string; `undefined` when nothing is certain. */
function plainName(type: Type): string | undefined {
  if (type.kind === "literal") return typeof type.value === "string" ? "string" : "int";
  if (type.kind !== "name" || type.decl !== undefined) return undefined;
  if (type.name === "generator") return "Generator";
  return type.name === "stream" ? "Stream" : type.name;
}

function methodsOfType(c: Checker, type: Type): MemberNames | undefined {
  const plain = plainName(type);
  if (plain === "dict") return undefined;
  if (plain !== undefined) {
    const names = methodNames.get(plain);
    return names === undefined ? undefined : { of: runtimeName(plain), names };
  }
  if (type.kind !== "name" || !declaredHere(c, type, "StructDecl", "EnumDecl")) return undefined;
  return { of: type.name, names: implNames(c).get(type.name) ?? [] };
}

const runtimeName = (name: string): string =>
  name === "Generator" || name === "Stream" ? name.toLowerCase() : name;

function propertiesOfType(c: Checker, type: Type): MemberNames | undefined {
  switch (plainName(type)) {
    case "list":
      return { of: "list", names: listProperties };
    case "string":
      return { of: "string", names: stringProperties };
    case "Result":
      return { of: "Result", names: enumProperties };
    default:
      break;
  }
  if (type.kind !== "name") return undefined;
  if (declaredHere(c, type, "EnumDecl")) return { of: type.name, names: enumProperties };
  if (type.decl?.node.kind !== "StructDecl") return undefined;
  const { fields } = type.decl.node;
  return { of: type.name, names: fields.map((field) => field.name.text), open: true };
}

/** Of types of other files not all methods need be known. */
function declaredHere(c: Checker, type: ReferenceType, ...kinds: readonly string[]): boolean {
  const { decl } = type;
  return decl !== undefined && typeDeclOf(decl).scope.module === c.types && kinds.includes(decl.node.kind);
}

const implsByModule = new WeakMap<object, ReadonlyMap<string, readonly string[]>>();

/** The methods of all `impl` blocks of the file, wherever they stand, by the name of their type. */
function implNames(c: Checker): ReadonlyMap<string, readonly string[]> {
  let known = implsByModule.get(c.module.ast);
  if (known === undefined) {
    const found = new Map<string, string[]>();
    walkType(c.module.ast as unknown as Node, (node) => {
      if (node.kind !== "ImplDecl") return true;
      const impl = node as unknown as {
        target: { text: string };
        methods: readonly { name: { text: string } }[];
      };
      const names = found.get(impl.target.text) ?? [];
      names.push(...impl.methods.map((method) => method.name.text));
      found.set(impl.target.text, names);
      return true;
    });
    known = found;
    implsByModule.set(c.module.ast, known);
  }
  return known;
}
