/** Rules about what a file offers to others. */
import { rule } from "../rule.ts";

export const missingHarndoc = rule(
  "missing-harndoc",
  "HARN-LNT-014",
  "public functions without documentation",
  (ctx) => {
    for (const item of ctx.program.items)
      if (item.kind === "FnDecl" && item.pub && item.doc === "")
        ctx.report("HARN-LNT-014", item.name, { name: item.name.text });
  },
);

export const pipelineReturnType = rule(
  "pipeline-return-type",
  "HARN-LNT-017",
  "public pipelines without a result type",
  (ctx) => {
    for (const item of ctx.program.items)
      if (item.kind === "PipelineDecl" && item.pub && item.returns === undefined)
        ctx.report("HARN-LNT-017", item.name, { name: item.name.text });
  },
);
