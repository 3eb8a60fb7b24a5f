/** Properties, indices and methods of built-in types: what they give (language.md §17.1). */
import type { Index, Member, MethodCall } from "../syntax/index.ts";
import type { Checker } from "./checker.ts";
import { methodsOf } from "./fits.ts";
import { isAssigned } from "./literals.ts";
import { showOptional, showType } from "./show-type.ts";
import { signatureOf } from "./signature-of.ts";
import {
  applied,
  bool,
  dict,
  hole,
  includesNil,
  int,
  list,
  type NamedType,
  nil,
  string,
  type Type,
  union,
  withoutNil,
} from "./type.ts";
import { argumentsOf, resolved, substitute } from "./type-scope.ts";

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
    return hole;
  }
  if (c.strict && type.kind === "name") return structField(type, node.name.text);
  return hole;
}

/** Only annotated shapes promise that there are no other fields; a dict literal in a variable may have grown. */
function isFreshlyWritten(c: Checker, node: Member): boolean {
  const variable = c.variableOf(node.object);
  return variable === undefined || c.vars.get(variable)?.annotated !== true;
}

function structField(type: NamedType, name: string): Type {
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
  const type = resolved(object);
  if (type.kind !== "union" || !includesNil(type)) return type;
  const held = node.kind === "MethodCall" ? node.receiver : node.object;
  if (c.strict && !optional && !isAssigned(c, held))
    c.report("HARN-TYP-025", node, {
      text: `cannot access ${what} on nilable type \`${showOptional(type)}\`; the value may be nil at runtime`,
    });
  return resolved(withoutNil(type));
}

/** `object[index]`. */
export function indexType(c: Checker, node: Index, object: Type): Type {
  const type = receiver(c, node, object, "an index", node.optional);
  if (type.kind === "shape" && node.index.kind === "StringLit")
    return type.fields.get(node.index.value)?.type ?? hole;
  if (type.kind !== "name") return hole;
  if (type.name === "list") return type.args[0] ?? hole;
  return type.name === "dict" ? (type.args[1] ?? hole) : hole;
}

/** Methods of each kind of receiver whose result is certain. */
const results: Readonly<Record<string, ReadonlyMap<string, Type>>> = {
  string: table({
    bool: "contains starts_with ends_with empty",
    int: "count len index_of last_index_of",
    string:
      "trim trim_start trim_end lowercase lower to_lower uppercase upper to_upper reverse substring pad_left pad_right repeat to_string",
    list: "split chars lines",
  }),
  list: table({
    bool: "contains empty any all every none",
    int: "count index_of find_index",
    string: "join",
    list: "map filter flat_map sort sort_by reverse unique compact flatten enumerate zip chunk window push pop slice take skip partition",
    dict: "group_by tally",
  }),
  dict: table({
    bool: "has",
    int: "count",
    list: "keys values entries to_list",
    dict: "filter merge map_values rekey map_keys remove to_dict",
  }),
  set: table({
    bool: "contains empty any all every",
    int: "count len",
    list: "to_list",
    set: "filter map add remove",
  }),
  range: table({ bool: "contains empty", int: "count len", string: "to_string" }),
  iter: table({ bool: "any all", int: "count", list: "to_list", set: "to_set", dict: "to_dict" }),
};

function table(byResult: Readonly<Record<string, string>>): ReadonlyMap<string, Type> {
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

/** `receiver.name(…)` on a built-in type or a struct. Unknown methods are never judged. */
export function methodType(c: Checker, node: MethodCall, object: Type): Type {
  const type = receiver(c, node, object, `method \`${node.name.text}\``, node.optional);
  const name = node.name.text;
  if (type.kind === "var") {
    checkBounded(c, node, type.name);
    return hole;
  }
  if (type.kind === "shape") return type.fields.has(name) ? hole : (results.dict?.get(name) ?? hole);
  if (type.kind === "literal")
    return typeof type.value === "string" ? (results.string?.get(name) ?? hole) : hole;
  if (type.kind !== "name") return hole;
  if (type.decl !== undefined) return declaredMethod(type, name);
  const element = type.args[0];
  if (name === "iter")
    return element === undefined || type.name === "dict" ? applied("iter") : applied("iter", element);
  if (type.name === "dict" && name !== "has") return results.dict?.get(name) ?? hole;
  if (element !== undefined && (type.name === "list" || type.name === "iter")) {
    if (keeps.has(name)) return type;
    if (name === "to_list") return applied("list", element);
  }
  const known = Object.hasOwn(results, type.name) ? results[type.name] : undefined;
  return known?.get(name) ?? hole;
}

function declaredMethod(type: NamedType, name: string): Type {
  const decl = type.decl!;
  const values = argumentsOf(decl.params, type.args);
  if (decl.node.kind === "InterfaceDecl") {
    const method = decl.node.methods.find((one) => one.name.text === name);
    if (method?.returns === undefined || method.typeParams.length > 0) return hole;
    const returns = substitute(decl.scope.type(method.returns), values);
    return returns.kind === "opaque" ? hole : returns;
  }
  const method = methodsOf(decl)?.get(name);
  if (method === undefined) return hole;
  const signature = signatureOf(method.node, method.scope);
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
