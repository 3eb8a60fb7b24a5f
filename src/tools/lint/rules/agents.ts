/** Rules about models, approvals, and data from outside. */
import type { Arg, DictEntry, Expr, Let } from "../../../syntax/index.ts";
import type { NameBinding } from "../names.ts";
import { type LintContext, rule } from "../rule.ts";
import { FUNCTIONS } from "../tree.ts";
import { isValueDropped } from "./expressions.ts";

export const promptInjectionRisk = rule(
  "prompt-injection-risk",
  "HARN-LNT-020",
  "data in a system prompt",
  (ctx) => {
    for (const call of ctx.tree.all("Call")) {
      const name = ctx.builtinWith(call, "systemSecond");
      if (name === undefined) continue;
      const system = [call.args[1], optionOf(call.args[2], "system")?.value].find((one) => mixesData(one));
      if (system !== undefined) ctx.report("HARN-LNT-020", system, { name });
    }
  },
);

/** A text with something in it that is no literal. */
function mixesData(expr: Arg | undefined): boolean {
  if (expr?.kind === "Interpolation")
    return expr.parts.some((part) => typeof part !== "string" && !isScalarLiteral(part));
  if (expr?.kind !== "Binary" || expr.op !== "+") return false;
  let at: Expr = expr;
  let texts = 0;
  let data = 0;
  for (; at.kind === "Binary" && at.op === "+"; at = at.left) count(at.right);
  count(at);
  return texts > 0 && data > 0;

  function count(part: Expr): void {
    if (isScalarLiteral(part)) texts++;
    else {
      data++;
      if (part.kind === "Interpolation") texts++;
    }
  }
}

const isScalarLiteral = (expr: Expr): boolean =>
  ["StringLit", "IntLit", "FloatLit", "BoolLit"].includes(expr.kind);

/** An entry of an option dict that is written out. */
function optionOf(options: Arg | undefined, name: string): DictEntry | undefined {
  if (options?.kind !== "DictLit") return undefined;
  return options.entries.find((one): one is DictEntry => one.kind === "DictEntry" && one.key === name);
}

const DEPRECATED = ["llm_retries", "llm_backoff_ms"];

export const deprecatedLlmOptions = rule(
  "deprecated_llm_options",
  "HARN-LNT-036",
  "options of `agent_loop` that `llm_caller` replaces",
  (ctx) => {
    for (const call of ctx.tree.all("Call")) {
      if (!ctx.isBuiltinCall(call, "agent_loop")) continue;
      const options = writtenOut(ctx, call.args[2]);
      for (const name of DEPRECATED) {
        const entry = optionOf(options, name);
        if (entry !== undefined) ctx.report("HARN-LNT-036", entry.keySpan, { name });
      }
    }
  },
);

/** A dict literal, or that of the `let` which a name stands for. */
function writtenOut(ctx: LintContext, arg: Arg | undefined): Arg | undefined {
  if (arg?.kind !== "Identifier") return arg;
  const node = ctx.names.of(arg)?.node;
  return node?.kind === "Let" && (node as Let).pattern.kind === "NamePattern" ? (node as Let).value : arg;
}

export const prOpenWithoutSecretScan = rule(
  "pr-open-without-secret-scan",
  "HARN-LNT-019",
  "pushing a pull request unscanned",
  (ctx) => {
    const calls = [...ctx.tree.all("Call"), ...ctx.tree.all("MethodCall")];
    const scans = ctx.tree
      .all("Call")
      .filter(({ callee }) => callee.kind === "Identifier" && callee.name === "secret_scan");
    for (const call of calls) {
      const pushes = call.args.some((arg) => arg.kind === "StringLit" && arg.value === "git::push_pr");
      if (!pushes) continue;
      const handler = toolHandlerOf(ctx, call);
      if (!scans.some((scan) => scan.start < call.start && toolHandlerOf(ctx, scan) === handler))
        ctx.report("HARN-LNT-019", call, undefined);
    }
  },
);

/** The function that a node belongs to; `undefined` at the top of the file. */
function toolHandlerOf(ctx: LintContext, node: Expr): unknown {
  for (const at of ctx.tree.around(node)) if (FUNCTIONS.has(at.kind)) return at;
  return undefined;
}

export const unhandledApprovalResult = rule(
  "unhandled-approval-result",
  "HARN-LNT-029",
  "approvals that nobody looks at",
  (ctx) => {
    for (const call of ctx.tree.all("Call")) {
      const name = ctx.builtinWith(call, "approves");
      const parent = ctx.tree.parent(call);
      if (name === undefined) continue;
      if (parent?.kind === "ExprStatement" && isValueDropped(ctx, parent))
        ctx.report("HARN-LNT-029", call, { name });
    }
  },
);

const VALIDATING = /^(schema_|is_type$|is_shape$|validate|assert)/;

export const untypedDictAccess = rule(
  "untyped-dict-access",
  "HARN-LNT-031",
  "properties of unchecked data",
  (ctx) => {
    const validated = validatedNames(ctx);
    const reported = new Set<NameBinding>();
    for (const node of [...ctx.tree.all("Member"), ...ctx.tree.all("Index")]) {
      if (node.kind === "Index" && node.index.kind !== "StringLit") continue;
      const direct = rawCall(ctx, node.object);
      if (direct !== undefined) {
        ctx.report("HARN-LNT-031", node, { name: direct });
        continue;
      }
      const binding = node.object.kind === "Identifier" ? ctx.names.of(node.object) : undefined;
      const name = binding?.node.kind === "Let" ? rawCall(ctx, (binding.node as Let).value) : undefined;
      if (binding === undefined || name === undefined || (binding.node as Let).pattern.kind !== "NamePattern")
        continue;
      if (validated.has(binding) || reported.has(binding) || (binding.node as Let).type !== undefined)
        continue;
      reported.add(binding);
      ctx.report("HARN-LNT-031", node, { name });
    }
  },
);

const rawCall = (ctx: LintContext, expr: Expr): string | undefined => ctx.builtinWith(expr, "uncheckedText");

/** Variables that are given to something which checks shapes. */
function validatedNames(ctx: LintContext): Set<NameBinding> {
  const found = new Set<NameBinding>();
  for (const call of ctx.tree.all("Call")) {
    if (call.callee.kind !== "Identifier" || !VALIDATING.test(call.callee.name)) continue;
    for (const arg of call.args) {
      const binding = ctx.names.of(arg);
      if (binding !== undefined) found.add(binding);
    }
  }
  return found;
}
