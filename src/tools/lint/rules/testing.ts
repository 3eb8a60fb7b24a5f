/** Rules about tests (language.md §25). */
import type { Node, PipelineDecl } from "../../../syntax/index.ts";
import { type LintContext, rule } from "../rule.ts";

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
