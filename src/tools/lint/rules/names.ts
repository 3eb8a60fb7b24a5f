/** Rules about names: how they are spelt, what they hide, whether anybody uses them, and what those that others see must have. */
import type {
  EnumDecl,
  FnDecl,
  Import,
  InterfaceDecl,
  Let,
  Name,
  StructDecl,
  TypeAliasDecl,
} from "../../../syntax/index.ts";
import { isVariable, type NameBinding } from "../names.ts";
import { type Edit, type LintContext, rule } from "../rule.ts";

export const namingConvention = rule(
  "naming-convention",
  "HARN-LNT-016",
  "snake_case for functions, PascalCase for types",
  (ctx) => {
    const { tree } = ctx;
    const snake = (what: string, name: Name): void => {
      if (name.text !== name.text.toLowerCase())
        ctx.report("HARN-LNT-016", name, { what, name: name.text, style: "snake_case" });
    };
    const pascal = (what: string, name: Name): void => {
      const bare = name.text.replace(/^_+/, "");
      if (bare.includes("_") || bare.charAt(0) !== bare.charAt(0).toUpperCase())
        ctx.report("HARN-LNT-016", name, { what, name: name.text, style: "PascalCase" });
    };
    for (const { name } of tree.all("FnDecl")) snake("function", name);
    for (const { name } of tree.all("ToolDecl")) snake("tool", name);
    for (const { name } of tree.all("PipelineDecl")) snake("pipeline", name);
    for (const { name } of tree.all("StructDecl")) pascal("struct", name);
    for (const { name } of tree.all("EnumDecl")) pascal("enum", name);
    for (const { name } of tree.all("InterfaceDecl")) pascal("interface", name);
    for (const { name } of tree.all("TypeAliasDecl")) pascal("type", name);
  },
);

const IMMUTABLE: ReadonlySet<string> = new Set(["let", "const", "fn", "tool", "param"]);
const DECLARING: ReadonlySet<string> = new Set(["let", "const", "fn", "tool"]);

export const shadowVariable = rule("shadow-variable", "HARN-LNT-026", "two variables of one name", (ctx) => {
  for (const binding of ctx.names.bindings) {
    const { name, kind, at, earlier, shadowed } = binding;
    if (earlier !== undefined && DECLARING.has(kind) && IMMUTABLE.has(earlier.kind))
      ctx.report("HARN-LNT-026", at, { name, sameScope: true });
    else if (name.startsWith("_") || !["let", "var", "const", "loop"].includes(kind)) continue;
    else if (earlier === undefined && shadowed !== undefined && isVariable(shadowed))
      ctx.report("HARN-LNT-026", at, { name, sameScope: false });
  }
});

export const mutableNeverReassigned = rule(
  "mutable-never-reassigned",
  "HARN-LNT-015",
  "`var` where `let` would do",
  (ctx) => {
    const byLet = new Map<Let, NameBinding[]>();
    for (const binding of ctx.names.bindings) {
      if (binding.kind !== "var") continue;
      const node = binding.node as Let;
      byLet.set(node, [...(byLet.get(node) ?? []), binding]);
    }
    // Pipelines share a scope with those they extend: nobody can tell from here which names meet there.
    const extended = ctx.tree.all("PipelineDecl").some((one) => one.extends !== undefined);
    for (const [node, bindings] of byLet) {
      if (bindings.some((one) => one.writes > 0 || ctx.names.strayWrites.has(one.name))) continue;
      const again = bindings.some((one) => isDeclaredAgain(ctx, one));
      const fix = { start: node.start, end: node.start + "var".length, text: "let" };
      ctx.report(
        "HARN-LNT-015",
        bindings[0]!.at,
        { name: bindings[0]!.name },
        again || extended ? undefined : [fix],
      );
    }
  },
  { fixes: true },
);

/** A second declaration of an immutable name in one scope would be an error. */
function isDeclaredAgain(ctx: LintContext, binding: NameBinding): boolean {
  return ctx.names.bindings.some(
    (one) => one !== binding && one.scope === binding.scope && one.name === binding.name,
  );
}

/** A file that only declares, without anything `pub`, exports all it has (language.md §20.3). */
function exportsAll(ctx: LintContext): boolean {
  const { items } = ctx.program;
  const declares = items.every(
    (item) =>
      item.kind === "Import" ||
      item.kind === "Let" ||
      (item.kind.endsWith("Decl") && item.kind !== "PipelineDecl"),
  );
  return declares && !items.some((item) => item.kind === "FnDecl" && item.pub);
}

function unused(ctx: LintContext, kind: NameBinding["kind"]): NameBinding[] {
  return ctx.names.bindings.filter(
    (one) => one.kind === kind && one.reads === 0 && one.writes === 0 && !one.name.startsWith("_"),
  );
}

export const unusedFunction = rule(
  "unused-function",
  "HARN-LNT-032",
  "functions that nothing refers to",
  (ctx) => {
    const exported = exportsAll(ctx);
    for (const { name, at, node, scope } of unused(ctx, "fn")) {
      const decl = node as FnDecl;
      const isTop = scope.parent === undefined;
      if (decl.pub || decl.attributes.length > 0 || (isTop && (exported || name === "main"))) continue;
      ctx.report("HARN-LNT-032", at, { name });
    }
  },
);

export const unusedParameter = rule(
  "unused-parameter",
  "HARN-LNT-033",
  "parameters that the function does not look at",
  (ctx) => {
    const methods = new Set(ctx.tree.all("ImplDecl").flatMap((one) => one.methods));
    for (const { name, at, node } of unused(ctx, "param")) {
      // Closures and `main` have the parameters that their callers give them.
      if (node.kind !== "FnDecl" && node.kind !== "ToolDecl") continue;
      const decl = node as FnDecl;
      if (decl.name.text === "main") continue;
      if (methods.has(decl) && decl.params[0]?.name.start === at.start) continue;
      ctx.report("HARN-LNT-033", at, { name });
    }
  },
);

export const unusedImport = rule(
  "unused-import",
  "HARN-LNT-034",
  "imported names that nothing refers to",
  (ctx) => {
    for (const binding of unused(ctx, "import")) {
      const { name, at } = binding;
      const imported = binding.node as Import;
      if (imported.pub) continue;
      // A name that is there twice stops the program: without one of them it would run.
      const fix = isDeclaredAgain(ctx, binding) ? undefined : withoutName(ctx, imported, at);
      ctx.report("HARN-LNT-034", at, { name }, fix);
    }
  },
  { fixes: true },
);

/** The import without one name; the whole line when it was the last. */
function withoutName(ctx: LintContext, node: Import, at: { start: number; end: number }): Edit[] | undefined {
  const names = node.names!;
  if (ctx.hasComments(node.start, node.end)) return undefined;
  if (names.length === 1) {
    if (ctx.isInert(node.path) !== true) return undefined;
    const lineEnd = /^[ \t\r]*\n?/.exec(ctx.text.slice(node.end))![0].length;
    return [{ start: node.start, end: node.end + lineEnd, text: "" }];
  }
  const index = names.findIndex((one) => one.start === at.start);
  const next = names[index + 1];
  if (next !== undefined) return [{ start: at.start, end: next.start, text: "" }];
  return [{ start: names[index - 1]!.end, end: at.end, text: "" }];
}

export const unusedType = rule("unused-type", "HARN-LNT-035", "types that nothing refers to", (ctx) => {
  const exported = exportsAll(ctx);
  for (const { name, at, node, scope } of unused(ctx, "type")) {
    const decl = node as StructDecl | EnumDecl | InterfaceDecl | TypeAliasDecl;
    if (decl.pub || decl.attributes.length > 0 || (exported && scope.parent === undefined)) continue;
    const what = decl.kind === "TypeAliasDecl" ? "type" : decl.kind.replace("Decl", "").toLowerCase();
    ctx.report("HARN-LNT-035", at, { what, name });
  }
});

export const undefinedFunction = rule(
  "undefined-function",
  "HARN-LNT-028",
  "calls of what does not exist",
  (ctx) => {
    for (const span of ctx.undefinedCalls)
      ctx.report("HARN-LNT-028", span, {
        name: /^[\p{L}\p{N}_]+/u.exec(ctx.source.slice(span))?.[0] ?? ctx.source.slice(span),
      });
  },
);

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
