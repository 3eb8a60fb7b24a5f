/** Declarations with something to run: functions, `impl`, `tool`, `skill`, `eval_pack`, attributes (language.md §15, §18, §21). */
import {
  Cell,
  type Frame,
  type Run,
  type ScriptClosure,
  type Site,
  type Task,
  unwound,
} from "../../interp/index.ts";
import type { ModuleInfo } from "../../resolve/index.ts";
import type {
  Attribute,
  Declaration,
  EvalPackDecl,
  Expr,
  FnDecl,
  ImplDecl,
  NamedExpr,
  Param,
  SkillDecl,
  Statement,
  ToolDecl,
  TypeExpr,
} from "../../syntax/index.ts";
import {
  Dict,
  List,
  type MaybePromise,
  positionalHandlers,
  schemaDict,
  toJsonSchema,
  type Value,
} from "../../values/index.ts";
import { literalValue } from "../expressions/literals.ts";
import { operand, withAll } from "../expressions/operand.ts";
import { sequence } from "../flow/sequence.ts";
import { makeClosure } from "../names.ts";
import { type Ctx, type Ex, noStatement, type St, st } from "../node.ts";
import { redeclaration, store, storeInto } from "../places/stores.ts";
import { orAnything } from "./schema-alias.ts";
import { structTypeOf } from "./structs.ts";

/** What a block does before its first statement: cells for functions that refer to each other, methods of structs. */
export function prelude(ctx: Ctx, nodes: readonly Statement[]): St[] {
  const steps: St[] = [];
  for (const node of nodes) {
    if (node.kind === "ImplDecl" && isStaticImpl(ctx, node)) steps.push(addMethods(ctx, node));
    if (node.kind !== "FnDecl") continue;
    const binding = ctx.module.bindings.get(node.name);
    if (binding?.cell !== true || binding.fn?.isStatic !== false) continue;
    const { slot } = binding;
    steps.push(
      st((f) => {
        f[slot] = new Cell<ScriptClosure>();
      }),
    );
  }
  return steps;
}

const isStaticImpl = (ctx: Ctx, node: ImplDecl): boolean =>
  node.methods.every((method) => ctx.module.fnByNode.get(method)?.isStatic === true);

export function lowerDeclaration(ctx: Ctx, node: Declaration): St {
  switch (node.kind) {
    case "FnDecl":
      return lowerFunction(ctx, node);
    case "ImplDecl":
      return isStaticImpl(ctx, node) ? noStatement : addMethods(ctx, node);
    case "ToolDecl":
      return lowerTool(ctx, node);
    case "SkillDecl":
      return lowerSkill(ctx, node);
    case "EvalPackDecl":
      return lowerEvalPack(ctx, node, true);
    default:
      return noStatement;
  }
}

/** Static functions exist already; the others are made here, from what is visible here. */
function lowerFunction(ctx: Ctx, node: FnDecl): St {
  const fault = redeclaration(ctx, [node.name]);
  if (fault !== undefined) return st(fault);
  const info = ctx.module.fnByNode.get(node)!;
  const make = makeClosure(ctx, info);
  const steps: St[] = [];
  const binding = ctx.module.bindings.get(node.name);
  const late = ctx.module.lateNames.has(node.name.text);
  const { instance } = ctx.unit;
  if (binding !== undefined && (!info.isStatic || late)) {
    const { slot, cell } = binding;
    const keep = info.isStatic ? () => {} : cell ? fillCell(slot) : storeInto(ctx, binding);
    steps.push(
      st((f) => {
        const closure = make(f) as ScriptClosure;
        keep(f, closure);
        if (late) instance.late.set(node.name.text, closure);
      }),
    );
  }
  for (const attribute of node.attributes) {
    const registered = lowerRegistration(ctx, node, attribute, make);
    if (registered !== undefined) steps.push(registered);
  }
  return steps.length === 0 ? noStatement : sequence(steps);
}

const fillCell =
  (slot: number) =>
  (f: Frame, closure: ScriptClosure): void => {
    f[slot] ??= new Cell<ScriptClosure>();
    f[slot].value = closure;
  };

function addMethods(ctx: Ctx, node: ImplDecl): St {
  const type = structTypeOf(ctx.unit, node.target.text);
  const foreign = !ctx.module.structs.has(node.target.text);
  const { instance } = ctx.unit;
  const methods = node.methods.map((method) => ({
    name: method.name.text,
    make: makeClosure(ctx, ctx.module.fnByNode.get(method)!),
  }));
  return st((f) => {
    const targets = foreign ? instance.structs.filter((one) => one.name === type.name) : [type];
    const added = methods.map(({ name, make }) => [name, make(f) as ScriptClosure] as const);
    // A new table each time: call sites know tables by their identity (struct-methods.ts).
    for (const target of targets) target.methods = new Map([...target.methods, ...added]);
  });
}

/** Calls builtins of the table as a declaration does: `define(registry(), …)`. */
function defining(
  ctx: Ctx,
  site: Site,
  put: (f: Frame, value: unknown) => void,
  call: (f: Frame) => MaybePromise<Value>,
): Run {
  const caller = ctx.traceName;
  return (f) => {
    try {
      const value = call(f);
      if (value instanceof Promise) return value.then((value) => put(f, value));
      put(f, value);
      return undefined;
    } catch (error) {
      throw unwound(error, site, caller);
    }
  };
}

function defineDeclaration(
  ctx: Ctx,
  f: Frame,
  registry: string,
  name: string,
  args: readonly Value[],
): MaybePromise<Value> {
  const { instance } = ctx.unit;
  const task = f[0] as Task;
  task.depth = f[1];
  const made = instance.builtin(registry).call(task, []);
  const go = (made: Value) => instance.builtin(name).call(task, [made, ...args]);
  return made instanceof Promise ? made.then(go) : go(made);
}

/** `tool` declarations bind a registry with one entry, as `tool_define` makes it. */
/** Dispatchers hand such a function its parameters one by one; any other handler gets one dict (agents.md §6.2). */
function byPosition(handler: ScriptClosure): ScriptClosure {
  positionalHandlers.add(handler);
  return handler;
}

function lowerTool(ctx: Ctx, node: ToolDecl): St {
  const fault = redeclaration(ctx, [node.name]);
  if (fault !== undefined) return st(fault);
  const make = makeClosure(ctx, ctx.module.fnByNode.get(node)!);
  const doc = parseToolDoc(node.doc);
  const parameters = toolParameters(node.params, ctx.module, doc.params);
  const returns = toolOutput(node.returns, ctx.module);
  const put = store(ctx, node.name);
  const run = defining(ctx, ctx.site(node.name as unknown as Expr), put, (f) =>
    defineDeclaration(ctx, f, "tool_registry", "tool_define", [
      node.name.text,
      node.description ?? doc.about,
      Dict.of({ parameters, handler: byPosition(make(f) as ScriptClosure), returns }),
    ]),
  );
  return st(run, true);
}

function fieldsOf(ctx: Ctx, fields: readonly NamedExpr[]): { names: string[]; values: Ex[] } {
  return {
    names: fields.map((field) => field.name.text),
    values: fields.map((field) => operand(ctx, field.value)),
  };
}

const dictOf = (names: readonly string[], values: readonly Value[]): Dict =>
  Dict.from(names.map((name, i) => [name, values[i] as Value] as const));

function lowerSkill(ctx: Ctx, node: SkillDecl): St {
  const fault = redeclaration(ctx, [node.name]);
  if (fault !== undefined) return st(fault);
  const { names, values } = fieldsOf(ctx, node.fields);
  const put = store(ctx, node.name);
  const site = ctx.site(node.name as unknown as Expr);
  return discardValue(
    withAll(
      values,
      (f, value) =>
        defining(ctx, site, put, (f) =>
          defineDeclaration(ctx, f, "skill_registry", "skill_define", [node.name.text, dictOf(names, value)]),
        )(f),
      true,
    ),
  );
}

function discardValue(one: Ex): St {
  const { run } = one;
  return st((f) => {
    const result = run(f);
    return result instanceof Promise ? result.then(() => undefined) : undefined;
  }, true);
}

/** The manifest; where statements run, also the pack's own statements and its summary (language.md §21). */
export function lowerEvalPack(ctx: Ctx, node: EvalPackDecl, runs: boolean): St {
  const { names, values } = fieldsOf(ctx, node.fields);
  const put = store(ctx, node.name);
  const places = node.fields.map((field) => store(ctx, field.name));
  const pack = ctx.module.packs.get(node)!;
  const putId = storeInto(ctx, pack.id);
  const putVersion = storeInto(ctx, pack.version);
  const { instance } = ctx.unit;
  const site = ctx.site(node.name as unknown as Expr);
  const isTask = names.includes("dataset");
  const manifest = withAll(
    values,
    (f, input) => {
      putId(f, node.id);
      putVersion(f, 1);
      input.forEach((value, i) => {
        places[i]!(f, value);
      });
      const header = isTask ? Dict.of({ name: node.id }) : Dict.of({ version: 1, id: node.id });
      const task = f[0] as Task;
      // Paths of the declaration are relative to its file.
      task.site = site;
      return defining(ctx, site, put, (f) =>
        instance
          .builtin(isTask ? "eval_task" : "eval_pack_manifest")
          .call(f[0], [header.merge(dictOf(names, input))]),
      )(f);
    },
    true,
  );
  if (!runs) return discardValue(manifest);
  const statements = ctx.lowering.block(
    ctx,
    { kind: "Block", statements: node.statements, start: node.start, end: node.end },
    "stmt",
  );
  const summary =
    node.summarize === undefined ? noStatement : ctx.lowering.block(ctx, node.summarize, "stmt");
  return sequence([discardValue(manifest), statements, summary]);
}

/** `@acp_tool` and `@acp_skill` register the function after its declaration (language.md §18). */
function lowerRegistration(ctx: Ctx, node: FnDecl, attribute: Attribute, make: Run): St | undefined {
  const kind = attribute.name.text;
  if (kind !== "acp_tool" && kind !== "acp_skill") return undefined;
  const entries = new Map<string, Value>();
  for (const arg of attribute.args)
    if (arg.name !== undefined) entries.set(arg.name.text, attributeValue(arg.value));
  const named = entries.get("name");
  const name = typeof named === "string" ? named : node.name.text;
  entries.delete("name");
  const options = Dict.from(entries);
  const site = ctx.site(node.name as unknown as Expr);
  const run = defining(
    ctx,
    site,
    () => {},
    (f) => {
      const closure = make(f) as ScriptClosure;
      if (kind === "acp_tool")
        return defineDeclaration(ctx, f, "tool_registry", "tool_define", [
          name,
          "",
          Dict.of({ handler: byPosition(closure), annotations: options }),
        ]);
      return defineDeclaration(ctx, f, "skill_registry", "skill_define", [
        name,
        options.with("on_activate", closure),
      ]);
    },
  );
  return st(run, true);
}

/** A literal; a bare word is a string. */
function attributeValue(node: Expr): Value {
  if (node.kind === "Identifier") return node.name;
  if (node.kind === "Unary" && node.operand.kind === "IntLit" && typeof node.operand.value === "number")
    return 0 - node.operand.value;
  return literalValue(node) ?? null;
}

/**
 * What the documentation comment of a `tool` says to models.
 *
 *     Looks up a ticket.
 *
 *     @param id Its number, such as `17`.
 */
interface ToolDoc {
  /** The text before the first tag, for a tool without a `description`. */
  readonly about: string;
  /** By name of the parameter. */
  readonly params: ReadonlyMap<string, string>;
}

const paramLine = /^@param\s+(?:\{[^}]*\}\s*)?(\w+)\s*(?:[:—–-]\s+)?(.*)$/;

/** `doc`: a documentation comment without its markers. Lines below a tag belong to it; tags besides `@param` are not for models. */
function parseToolDoc(doc: string): ToolDoc {
  const about: string[] = [];
  const params = new Map<string, string[]>();
  let into: string[] | undefined = about;
  for (const line of doc.split("\n").map((one) => one.trim())) {
    if (line.startsWith("@")) {
      const [, name, text = ""] = paramLine.exec(line) ?? [];
      into = name === undefined ? undefined : [text];
      if (name !== undefined && into !== undefined) params.set(name, into);
    } else into?.push(line);
  }
  return {
    about: about.join("\n").trim(),
    params: new Map([...params].map(([name, lines]) => [name, lines.join(" ").trim()])),
  };
}

/** The JSON Schema of a type; `{type: "any"}` for what has none. */
function typeSchema(type: TypeExpr | undefined, module: ModuleInfo): Dict {
  const schema = schemaDict(orAnything(type, module));
  return schema.get("type") === "any" ? schema : toJsonSchema(schema);
}

/** One entry per parameter; a default makes it optional. */
/** `docs`: what is said of parameters, by name. */
function toolParameters(
  params: readonly Param[],
  module: ModuleInfo,
  docs: ReadonlyMap<string, string> = new Map(),
): Dict {
  return Dict.from(
    params.map((param) => {
      const about = docs.get(param.name.text) ?? "";
      const type = typeSchema(param.type, module);
      const schema = about === "" ? type : type.with("description", about);
      if (param.default === undefined) return [param.name.text, schema] as const;
      const optional = schema.with("required", false);
      const value = constantOf(param.default);
      return [param.name.text, value === undefined ? optional : optional.with("default", value)] as const;
    }),
  );
}

/** A default's value, when it is written out. */
function constantOf(node: Expr): Value | undefined {
  if (node.kind === "Unary" && node.op === "-" && node.operand.kind === "IntLit")
    return 0 - Number(node.operand.value);
  if (node.kind === "ListLit") {
    const items = node.elements.map((element) =>
      element.kind === "Spread" ? undefined : constantOf(element),
    );
    return items.includes(undefined) ? undefined : new List(items as Value[]);
  }
  if (node.kind === "DictLit") {
    const entries: [string, Value][] = [];
    for (const entry of node.entries) {
      const value = entry.kind === "Spread" ? undefined : constantOf(entry.value);
      if (entry.kind === "Spread" || typeof entry.key !== "string" || value === undefined) return undefined;
      entries.push([entry.key, value]);
    }
    return Dict.from(entries);
  }
  return literalValue(node);
}

/** The declared result; `undefined` when none is declared. */
const toolOutput = (type: TypeExpr | undefined, module: ModuleInfo): Dict | undefined =>
  type === undefined ? undefined : typeSchema(type, module);
