/** Rules about where a call belongs: assertions into tests (language.md §25), what opens something beside what closes it. */
import type { Call, Node, PipelineDecl } from "../../../syntax/index.ts";
import { type LintContext, rule } from "../rule.ts";

export const longRunningWithoutCleanup = rule(
  "long-running-without-cleanup",
  "HARN-LNT-037",
  "daemons, supervisors and connections that an error would leave open",
  (ctx) => {
    for (const call of ctx.tree.all("Call")) {
      const decl = ctx.tree.declAround(call);
      if (decl === undefined || ctx.builtinWith(call, "opens") === undefined) continue;
      if (hasCleanup(ctx, call, decl) || isHandedOver(ctx, call, decl)) continue;
      ctx.report("HARN-LNT-037", call.callee, { name: nameOf(decl) });
    }
  },
);

/** A `defer`, a `finally`, or a `scope` around the call. */
function hasCleanup(ctx: LintContext, call: Call, decl: Node): boolean {
  const own = (node: Node): boolean => ctx.tree.declAround(node) === decl;
  if (ctx.tree.all("Defer").some(own)) return true;
  if (ctx.tree.all("Try").some((node) => node.finally !== undefined && own(node))) return true;
  return ctx.tree.all("Scope").some((scope) => ctx.tree.isInside(call, scope));
}

/** What a function returns is its caller's to close. */
function isHandedOver(ctx: LintContext, call: Call, decl: Node): boolean {
  const parent = ctx.tree.parent(call);
  const kept =
    parent?.kind === "Let" && parent.pattern.kind === "NamePattern" ? parent.pattern.name.text : "";
  return ctx.tree
    .all("Return")
    .filter((node) => ctx.tree.declAround(node) === decl)
    .some((node) => ctx.tree.isInside(call, node) || mentionsResource(ctx, node, kept));
}

const mentionsResource = (ctx: LintContext, node: Node, name: string): boolean =>
  name !== "" && ctx.tree.all("Identifier").some((one) => one.name === name && ctx.tree.isInside(one, node));

const nameOf = (decl: Node): string =>
  (decl as Node & { readonly name: { readonly text: string } }).name.text;

function isTestPipeline(pipeline: PipelineDecl): boolean {
  return (
    pipeline.name.text.startsWith("test_") || pipeline.attributes.some(({ name }) => name.text === "test")
  );
}

function pipelineAround(ctx: LintContext, node: Node): PipelineDecl | undefined {
  for (const at of ctx.tree.around(node)) if (at.kind === "PipelineDecl") return at;
  return undefined;
}

export const assertOutsideTest = rule(
  "assert-outside-test",
  "HARN-LNT-001",
  "assertions belong into tests",
  (ctx) => {
    const hasTests = ctx.tree.all("PipelineDecl").some(isTestPipeline);
    for (const call of ctx.tree.all("Call")) {
      const name = ctx.builtinWith(call, "asserts");
      if (name === undefined) continue;
      const pipeline = pipelineAround(ctx, call);
      // Functions beside tests are their helpers.
      const isProduction = pipeline === undefined ? !hasTests : !isTestPipeline(pipeline);
      if (isProduction) ctx.report("HARN-LNT-001", call.callee, { name });
    }
  },
);

export const requireInTest = rule(
  "require-in-test",
  "HARN-LNT-025",
  "tests assert, they do not require",
  (ctx) => {
    for (const node of ctx.tree.all("Require")) {
      const pipeline = pipelineAround(ctx, node);
      if (pipeline !== undefined && isTestPipeline(pipeline)) ctx.report("HARN-LNT-025", node, undefined);
    }
  },
);
