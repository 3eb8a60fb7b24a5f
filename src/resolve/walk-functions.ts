/** Functions, declarations and attributes: what each introduces, and where attributes may stand. */
import type {
  Attribute,
  Block,
  Closure,
  Declaration,
  EvalPackDecl,
  Expr,
  FnDecl,
  Item,
  Name,
  Param,
  ToolDecl,
} from "../syntax/index.ts";
import { FunctionInfo } from "./model.ts";
import type { Walk } from "./walk.ts";
import { walkExpr } from "./walk-expressions.ts";

/** Makes the functions and types of a statement list visible from its beginning (language.md §8.3, §15.2). */
export function hoist(walk: Walk, statements: readonly Item[]): void {
  for (const decl of statements) {
    hoistType(walk, decl);
    if (decl.kind !== "FnDecl") continue;
    if (walk.scope.hoisted.has(decl.name.text) || decl.name.text === "_") continue;
    const binding = walk.newBinding(decl.name, "fn", false);
    binding.fn = functionInfo(walk, decl);
    walk.scope.hoisted.set(decl.name.text, binding);
  }
}

function hoistType(walk: Walk, decl: Item): void {
  const { structs, enums, aliases } = walk.module;
  if (decl.kind === "StructDecl") structs.set(decl.name.text, decl);
  else if (decl.kind === "EnumDecl") enums.set(decl.name.text, decl);
  else if (decl.kind === "TypeAliasDecl") aliases.set(decl.name.text, decl);
  else return;
  walk.declared.add(decl.name.text);
}

/** File-level functions are known to the whole module graph before any body is resolved. */
function functionInfo(walk: Walk, decl: FnDecl): FunctionInfo {
  const known = walk.module.fnByNode.get(decl);
  if (known !== undefined) return known;
  return new FunctionInfo(decl.name.text, "fn", walk.module, walk.fn, decl.params, decl);
}

export function walkFunction(walk: Walk, decl: FnDecl): void {
  const binding = walk.declare(decl.name, "fn", false);
  if (binding === undefined) {
    walkFunctionBody(walk, decl, functionInfo(walk, decl));
    return;
  }
  binding.fn ??= functionInfo(walk, decl);
  walkFunctionBody(walk, decl, binding.fn);
}

/** Parameters, then the body in a scope of its own. */
export function walkFunctionBody(
  walk: Walk,
  decl: FnDecl | ToolDecl | Closure,
  info?: FunctionInfo,
): FunctionInfo {
  const name = decl.kind === "Closure" ? "" : decl.name.text;
  const kind = decl.kind === "FnDecl" ? "fn" : decl.kind === "ToolDecl" ? "tool" : "closure";
  return walk.enter(
    name,
    kind,
    decl.params,
    decl,
    (fn) => {
      declareFunctionParams(walk, fn, decl.params);
      if (decl.kind === "FnDecl" && decl.gen) fn.generator = true;
      walk.visit.block(walk, decl.body);
    },
    info,
  );
}

/** All parameters get their slots first, in order; a default sees the parameters before it. */
function declareFunctionParams(walk: Walk, fn: FunctionInfo, params: readonly Param[]): void {
  const slots = params.map((param) => walk.newBinding(param.name, "param", false));
  fn.paramBindings = slots;
  params.forEach((param, index) => {
    if (param.default !== undefined) walkExpr(walk, param.default);
    const binding = slots[index]!;
    walk.module.bindings.set(param.name, binding);
    if (param.name.text !== "_") walk.scope.names.set(param.name.text, binding);
  });
}

/** The body of `spawn` and `parallel`: a function with at most one parameter, run in a task of its own. */
export function walkTaskBody(walk: Walk, body: Block, param: Name | undefined): FunctionInfo {
  const params: Param[] =
    param === undefined
      ? []
      : [
          {
            name: param,
            rest: false,
            type: undefined,
            default: undefined,
            start: param.start,
            end: param.end,
          },
        ];
  return walk.enter("", "body", params, body, (fn) => {
    declareFunctionParams(walk, fn, params);
    walk.visit.block(walk, body);
  });
}

/** Everything that declares, except plain functions. */
export function walkDeclaration(walk: Walk, node: Declaration): void {
  checkFunctionAttributes(walk, node);
  switch (node.kind) {
    case "FnDecl":
      walkFunction(walk, node);
      return;
    case "ToolDecl":
      walkFunctionBody(walk, node);
      walk.declare(node.name, "tool", false);
      return;
    case "SkillDecl":
      for (const field of node.fields) walkExpr(walk, field.value);
      walk.declare(node.name, "tool", false);
      return;
    case "EvalPackDecl":
      walkEvalPack(walk, node);
      return;
    case "ImplDecl":
      for (const method of node.methods) walkFunctionBody(walk, method);
      return;
    case "StructDecl":
    case "EnumDecl":
    case "TypeAliasDecl":
    case "PipelineDecl":
    case "OverrideDecl":
    case "InterfaceDecl":
      return;
  }
}

/** The manifest, then (where statements run) its statements in a scope that has `id`, `version` and the fields. */
function walkEvalPack(walk: Walk, node: EvalPackDecl): void {
  for (const field of node.fields) walkExpr(walk, field.value);
  walk.declare(node.name, "tool", false);
  walk.scoped(() => {
    const [id, version] = ["id", "version"].map((text) => {
      const binding = walk.newBinding({ text, start: node.name.start, end: node.name.end }, "let", false);
      walk.scope.names.set(text, binding);
      return binding;
    });
    walk.module.packs.set(node, { id: id!, version: version! });
    for (const field of node.fields) walk.declare(field.name, "let", false);
    walk.visit.statements(walk, node.statements);
    if (node.summarize !== undefined) walk.visit.block(walk, node.summarize);
  });
}

const functionOnly: ReadonlySet<string> = new Set(["acp_tool", "acp_skill"]);
const literalKinds: ReadonlySet<string> = new Set([
  "IntLit",
  "FloatLit",
  "StringLit",
  "BoolLit",
  "NilLit",
  "Identifier",
]);

function checkFunctionAttributes(walk: Walk, node: Declaration): void {
  for (const attribute of node.attributes) {
    const name = attribute.name.text;
    if (functionOnly.has(name) && node.kind !== "FnDecl")
      attributeError(walk, attribute, `@${name} can only be applied to function declarations`);
    for (const arg of attribute.args) {
      if (!isAttributeLiteral(arg.value))
        attributeError(walk, attribute, "attribute argument must be a literal value");
    }
  }
}

/** A literal, a bare name (a string), a number with a minus, or a list of such values. */
function isAttributeLiteral(value: Expr): boolean {
  const pending: Expr[] = [value];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.kind === "ListLit") {
      for (const element of at.elements) {
        if (element.kind === "Spread") return false;
        pending.push(element);
      }
    } else if (at.kind === "Unary") {
      if (at.op !== "-" || (at.operand.kind !== "IntLit" && at.operand.kind !== "FloatLit")) return false;
    } else if (!literalKinds.has(at.kind)) return false;
  }
  return true;
}

function attributeError(walk: Walk, at: Attribute, text: string): void {
  walk.report("HARN-CMP-004", at, { line: walk.line(at), text });
}
