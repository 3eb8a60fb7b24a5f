/** Declarations: functions with their bodies, generators' results, and the places where type parameters stand. */
import type { Declaration, EvalPackDecl, FnDecl, Param, PipelineDecl, ToolDecl } from "../syntax/index.ts";
import { checkAttributes } from "./attributes.ts";
import type { Checker } from "./checker.ts";
import { Flow } from "./flow/flow.ts";
import { checkMissingReturn, checkToolEnd } from "./flow/missing-return.ts";
import { checkTaskFields } from "./model/option-fields.ts";
import { showType } from "./model/show-type.ts";
import { typeSignatureOf } from "./model/signature-of.ts";
import { hole, type Type } from "./model/type.ts";
import { type FnSignature, resolvedAlias, TypeDecl, type TypeScope } from "./model/type-scope.ts";
import { checkVariance } from "./model/variance.ts";

export function checkDeclaration(c: Checker, node: Declaration): void {
  checkAttributes(c, node);
  switch (node.kind) {
    case "FnDecl":
      checkFunction(c, node, c.scope);
      return;
    case "ToolDecl":
      checkTool(c, node);
      return;
    case "ImplDecl":
      for (const method of node.methods) {
        checkAttributes(c, method);
        checkDeclaredMethod(c, method, node.target.text);
      }
      return;
    case "PipelineDecl":
      checkPipeline(c, node);
      return;
    case "SkillDecl":
      for (const field of node.fields) c.visit.infer(c, field.value);
      return;
    case "EvalPackDecl":
      checkEvalPack(c, node);
      return;
    case "OverrideDecl":
      return;
    default:
      checkVariance(c, node);
      return;
  }
}

function checkFunction(c: Checker, node: FnDecl, outer: TypeScope, self?: Type): void {
  const signature = typeSignatureOf(node, outer);
  checkVariance(c, node);
  const emits = node.gen ? emitted(c, node, signature) : undefined;
  const info = c.module.fnByNode.get(node);
  // `yield` makes a generator; a `gen fn` is one by its word.
  const generator = info?.generator === true && !node.gen && signature.returns === undefined;
  c.inFunction({ info, returns: signature.returns, emits, generator }, new Flow(), () => {
    c.inScope(signature.scope, () => {
      declareParams(c, node.params, signature, self);
      const { exits } = c.visit.block(c, node.body, { returns: true });
      if (!exits) checkMissingReturn(c, node, signature);
    });
  });
}

function declareParams(c: Checker, params: readonly Param[], signature: FnSignature, self?: Type): void {
  for (const [index, param] of params.entries()) {
    if (param.default !== undefined) c.visit.infer(c, param.default);
    const receiver = index === 0 && param.type === undefined ? self : undefined;
    c.declare(param.name, receiver ?? signature.params[index]!.type, { annotated: true });
  }
}

/** The values of a `gen fn`, whose result must be a stream. */
function emitted(c: Checker, node: FnDecl, signature: FnSignature): Type {
  if (signature.returns === undefined) return hole;
  const returns = resolvedAlias(signature.returns);
  if (returns.kind === "name" && (returns.name === "Stream" || returns.name === "stream"))
    return returns.args[0] ?? hole;
  if (
    returns.kind === "name" ||
    returns.kind === "shape" ||
    returns.kind === "fn" ||
    returns.kind === "union"
  )
    c.report("HARN-TYP-010", node.returns!, { found: showType(signature.returns) });
  return hole;
}

function checkTool(c: Checker, node: ToolDecl): void {
  const signature = typeSignatureOf(node, c.scope);
  const info = c.module.fnByNode.get(node);
  c.inFunction({ info, returns: signature.returns, emits: undefined, generator: false }, new Flow(), () => {
    declareParams(c, node.params, signature);
    if (!c.visit.block(c, node.body, { returns: true }).exits) checkToolEnd(c, node, signature);
  });
}

/** The receiver is the first parameter, whatever its name. */
function checkDeclaredMethod(c: Checker, method: FnDecl, target: string): void {
  const decl = c.scope.find(target);
  if (!(decl instanceof TypeDecl)) {
    checkFunction(c, method, c.scope);
    return;
  }
  checkFunction(c, method, decl.scope, { kind: "name", name: decl.name, args: decl.params, decl });
}

function checkPipeline(c: Checker, node: PipelineDecl): void {
  const returns = node.returns === undefined ? undefined : c.scope.type(node.returns);
  c.inFunction({ info: c.module.main, returns, emits: undefined, generator: false }, new Flow(), () => {
    c.visit.block(c, node.body, { returns: true });
  });
}

function checkEvalPack(c: Checker, node: EvalPackDecl): void {
  for (const field of node.fields) c.visit.infer(c, field.value);
  checkTaskFields(c, node);
  c.inFlow(c.flow.fork(), () => {
    c.visit.statements(c, node.statements);
    if (node.summarize !== undefined) c.visit.block(c, node.summarize);
  });
}
