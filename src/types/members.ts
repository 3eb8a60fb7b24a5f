/** Properties, indices and methods of built-in types: what they give (language.md §17.1). */
import type { Index, Member, MethodCall } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { isAssigned } from "./literals.ts";
import { typeMethodsOf } from "./model/fits.ts";
import { showOptional, showType } from "./model/show-type.ts";
import { typeSignatureOf } from "./model/signature-of.ts";
import {
  anyType,
  applied,
  bool,
  dict,
  float,
  hole,
  includesNil,
  int,
  list,
  listOf,
  nil,
  type ReferenceType,
  range,
  string,
  type Type,
  union,
  withoutNil,
} from "./model/type.ts";
import { argumentsOf, resolvedAlias, substitute } from "./model/type-scope.ts";
import { checkResultKey } from "./model/vocabularies.ts";
import { checkMethod, checkNamespace, checkProperty } from "./unknown-members.ts";

/** `object.name`. Fields of structs are known under strict types only. */
export function memberType(c: Checker, node: Member, object: Type): Type {
  const type = receiver(c, node, object, `property \`${node.name.text}\``, node.optional);
  if (type.kind === "shape") {
    const field = type.fields.get(node.name.text);
    if (field !== undefined) return c.strict && field.optional ? union([field.type, nil]) : field.type;
    if (c.strict && !isFreshlyWritten(c, node))
      c.report("HARN-NAM-004", node.name, {
        text: `field \`${node.name.text}\` does not exist on shape \`${showType(type)}\``,
        names: [...type.fields.keys()],
        name: node.name.text,
      });
    else checkResultKey(c, node);
    return hole;
  }
  checkProperty(c, node, c.certainType(node.object, type));
  checkResultKey(c, node);
  if (c.strict && type.kind === "name") return structField(type, node.name.text);
  return hole;
}

/** Only annotated shapes promise that there are no other fields; a dict literal in a variable may have grown. */
function isFreshlyWritten(c: Checker, node: Member): boolean {
  const variable = c.variableOf(node.object);
  return variable === undefined || c.vars.get(variable)?.annotated !== true;
}

function structField(type: ReferenceType, name: string): Type {
  if (type.decl?.node.kind !== "StructDecl") return hole;
  const field = type.decl.node.fields.find((one) => one.name.text === name);
  if (field?.type === undefined) return hole;
  const declared = substitute(type.decl.scope.type(field.type), argumentsOf(type.decl.params, type.args));
  return field.optional ? union([declared, nil]) : declared;
}

/** The receiver without nil; under strict types an access that nil would break is an error. */
function receiver(
  c: Checker,
  node: Member | Index | MethodCall,
  object: Type,
  what: string,
  optional: boolean,
): Type {
  const type = resolvedAlias(object);
  if (type.kind !== "union" || !includesNil(type)) return type;
  const held = node.kind === "MethodCall" ? node.receiver : node.object;
  if (c.strict && !optional && !isAssigned(c, held))
    c.report("HARN-TYP-025", node, {
      text: `cannot access ${what} on nilable type \`${showOptional(type)}\`; the value may be nil at runtime`,
    });
  return resolvedAlias(withoutNil(type));
}

/** `object[index]`. */
export function indexType(c: Checker, node: Index, object: Type): Type {
  const type = receiver(c, node, object, "an index", node.optional);
  checkResultKey(c, node);
  if (type.kind === "shape" && node.index.kind === "StringLit")
    return type.fields.get(node.index.value)?.type ?? hole;
  if (type.kind !== "name") return hole;
  if (type.name === "list") return type.args[0] ?? hole;
  return type.name === "dict" ? (type.args[1] ?? hole) : hole;
}

/** Methods of each kind of receiver whose result is certain. */
const results: Readonly<Record<string, ReadonlyMap<string, Type>>> = {
  string: memberTable({
    bool: "contains starts_with ends_with empty",
    int: "count len index_of last_index_of",
    string:
      "trim trim_start trim_end lowercase lower to_lower uppercase upper to_upper reverse substring pad_left pad_right repeat to_string",
    list: "split chars lines",
  }),
  list: memberTable({
    bool: "contains empty any all every none",
    int: "count index_of find_index",
    string: "join",
    list: "map filter flat_map sort sort_by reverse unique compact flatten enumerate zip chunk window push pop slice take skip partition",
    dict: "group_by tally",
  }),
  dict: memberTable({
    bool: "has",
    int: "count",
    list: "keys values entries to_list",
    dict: "filter merge map_values rekey map_keys remove to_dict",
  }),
  set: memberTable({
    bool: "contains empty any all every",
    int: "count len",
    list: "to_list",
    set: "filter map add remove",
  }),
  range: memberTable({ bool: "contains empty", int: "count len", string: "to_string" }),
  iter: memberTable({ bool: "any all", int: "count", dict: "to_dict" }),
};

function memberTable(byResult: Readonly<Record<string, string>>): ReadonlyMap<string, Type> {
  const types: Readonly<Record<string, Type>> = { bool, int, string, list, dict, set: applied("set") };
  return new Map(
    Object.entries(byResult).flatMap(([type, names]) =>
      names.split(" ").map((name): [string, Type] => [name, types[type]!]),
    ),
  );
}

/** Methods that keep the elements of what they are called on. */
const keeps: ReadonlySet<string> = new Set([
  "filter",
  "sort",
  "sort_by",
  "reverse",
  "unique",
  "compact",
  "slice",
  "take",
  "skip",
  "take_while",
  "skip_while",
  "pop",
]);

/** `receiver.name(…)` on a built-in type or a struct. */
export function methodType(c: Checker, node: MethodCall, object: Type): Type {
  const type = receiver(c, node, object, `method \`${node.name.text}\``, node.optional);
  const name = node.name.text;
  checkMethod(c, node, c.certainType(node.receiver, type));
  checkNamespace(c, node);
  if (type.kind === "var") {
    checkBounded(c, node, type.name);
    return hole;
  }
  if (type.kind === "shape") return type.fields.has(name) ? hole : (results.dict?.get(name) ?? hole);
  if (type.kind === "literal")
    return typeof type.value === "string" ? (results.string?.get(name) ?? hole) : hole;
  if (type.kind !== "name") return hole;
  if (type.decl !== undefined) return declaredMethod(type, name);
  if (name === "iter") return iteratorOver(type);
  if (type.name === "iter") return ofIterator(type, name);
  if (type === range && !own.has(name)) return ofIterator(applied("iter", int), name);
  const [element, value] = type.args;
  if (type.name === "dict")
    return value !== undefined && keepsValues.has(name)
      ? applied("dict", string, value)
      : (results.dict?.get(name) ?? hole);
  if (element !== undefined && type.name === "list") {
    if (keeps.has(name)) return type;
    if (windows.has(name)) return listOf(type);
  }
  const known = Object.hasOwn(results, type.name) ? results[type.name] : undefined;
  return known?.get(name) ?? conversions.get(name) ?? hole;
}

/** Every other name of a range is a method of an iterator over it. */
const own: ReadonlySet<string> = new Set(["len", "count", "empty", "contains", "to_string"]);
/** Of a `dict<K, V>` these give dicts of its values. */
const keepsValues: ReadonlySet<string> = new Set(["merge", "map_values", "rekey", "map_keys"]);
/** Of a list these give lists of it. */
const windows: ReadonlySet<string> = new Set(["window", "each_cons", "sliding_window"]);
const conversions: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["to_string", string],
  ["to_int", int],
  ["to_float", float],
]);

/** What `iter(x)` and `x.iter()` give: elements are known of collections that say which they have. */
export function iteratorOver(from: Type): Type {
  if (from.kind !== "name") return applied("iter");
  const [element, value] = from.args;
  if (element === undefined || !iterables.has(from.name)) return applied("iter");
  return applied("iter", from.name === "dict" ? applied("Pair", element, value ?? hole) : element);
}

const iterables: ReadonlySet<string> = new Set([
  "list",
  "set",
  "dict",
  "iter",
  "Generator",
  "generator",
  "Stream",
  "stream",
]);

/** Methods of `iter<T>`: only those that cannot change the elements keep their type. */
function ofIterator(type: ReferenceType, name: string): Type {
  const element = type.args[0] ?? hole;
  const orNil = (): Type => (element.kind === "hole" ? hole : union([element, nil]));
  switch (name) {
    case "filter":
    case "take":
    case "skip":
    case "take_while":
    case "skip_while":
    case "chain":
      return type;
    case "map":
    case "flat_map":
      return applied("iter");
    case "zip":
      return element.kind === "hole" ? type : applied("iter", applied("Pair", element, anyType));
    case "enumerate":
      return element.kind === "hole" ? type : applied("iter", applied("Pair", int, element));
    case "chunks":
    case "windows":
      return element.kind === "hole" ? type : applied("iter", listOf(element));
    case "to_list":
      return listOf(element);
    case "to_set":
      return applied("set", element);
    case "sum":
      return union([int, float]);
    case "for_each":
      return nil;
    case "min":
    case "max":
    case "first":
    case "last":
    case "find":
      return orNil();
    default:
      return results.iter?.get(name) ?? hole;
  }
}

function declaredMethod(type: ReferenceType, name: string): Type {
  const decl = type.decl!;
  const values = argumentsOf(decl.params, type.args);
  if (decl.node.kind === "InterfaceDecl") {
    const method = decl.node.methods.find((one) => one.name.text === name);
    if (method?.returns === undefined || method.typeParams.length > 0) return hole;
    const returns = substitute(decl.scope.type(method.returns), values);
    return returns.kind === "opaque" ? hole : returns;
  }
  const method = typeMethodsOf(decl)?.get(name);
  if (method === undefined) return hole;
  const signature = typeSignatureOf(method.node, method.scope);
  if (signature.returns === undefined || signature.vars.length > 0) return hole;
  return substitute(signature.returns, values);
}

/** A method on a value of a constrained type parameter must be one of the constraint's (language.md §17.6). */
function checkBounded(c: Checker, node: MethodCall, variable: string): void {
  const fn = c.fn.info === undefined ? undefined : c.signature(c.fn.info);
  const bounds = fn?.where.find((one) => one.type.name === variable)?.bounds ?? [];
  if (bounds.length === 0) return;
  const interfaces = bounds.map((bound) => c.scope.declaration(bound.text)?.node);
  const allMethods = interfaces.map((one) => (one?.kind === "InterfaceDecl" ? one.methods : undefined));
  if (
    allMethods.some((methods) => methods === undefined || methods.some((m) => m.name.text === node.name.text))
  )
    return;
  c.report("HARN-TYP-020", node.name, {
    method: node.name.text,
    interface: bounds.map((bound) => bound.text).join(" + "),
    variable,
    methods: allMethods.flatMap((methods) => methods?.map((one) => one.name.text) ?? []),
  });
}
