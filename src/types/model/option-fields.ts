/**
 * Options that are given as literal dicts, against the rows of the builtin's parameter: names that mean nothing and
 * values that do not fit, at every depth. A dict that was put together at run time is judged there, by the same rows.
 */
import type { FunctionInfo, ModuleInfo } from "../../resolve/index.ts";
import type { Span } from "../../source/index.ts";
import type { Arg, Call, DictLit, EvalPackDecl, Expr } from "../../syntax/index.ts";
import {
  docFields,
  type Field,
  type FieldTable,
  hasTrait,
  isMapOfDicts,
  oneOf,
  parseSignature,
  parseType,
  showRange,
  tableOf,
  unknownKey,
} from "../../table/index.ts";
import type { Checker } from "../checker.ts";
import { accepts } from "../literals.ts";
import { typeOfSignature } from "./builtins.ts";
import { showType } from "./show-type.ts";
import { nil, union } from "./type.ts";

/** Judges the arguments of a call for which the builtin has rows. */
export function checkOptions(c: Checker, node: Call, name: string): void {
  const spec = c.builtinWithFields(name);
  if (spec === undefined) return;
  const { params } = parseSignature(spec.sig);
  judgeArguments(node, new OptionJudge(c, name, false, hasTrait(c.builtinSpec(name), "wholeOptions")), {
    params: params.map((param) => param.name),
    table: (param) => tableOf(spec.fields?.[param]),
  });
}

/**
 * Judges the arguments of a call of a function in whose doc comment there are rows (`table/doc-fields.ts`). A run does not look at
 * them again when it comes there: it warns of them before it begins.
 */
export function checkDocOptions(c: Checker, node: Call, fn: FunctionInfo): void {
  if (fn.node.kind !== "FnDecl" || !fn.node.doc.includes("@option")) return;
  const tables = docTables(c, fn);
  judgeArguments(node, new OptionJudge(c, fn.name, true), {
    params: fn.params.map((param) => param.name.text),
    table: (param) => tables.get(param),
  });
}

/** Judges the fields of an `eval_pack` with a dataset, which is a task: as a call of `eval_task` with one dict of them. */
export function checkTaskFields(c: Checker, node: EvalPackDecl): void {
  const table = tableOf(c.builtinWithFields("eval_task")?.fields?.task);
  if (table === undefined || !node.fields.some((field) => field.name.text === "dataset")) return;
  const entries = node.fields.map(({ name, value, start, end }) => ({
    kind: "DictEntry" as const,
    key: name.text,
    keySpan: name,
    value,
    start,
    end,
  }));
  const { start, end } = node;
  new OptionJudge(c, `eval_pack ${node.name.text}`).dict(
    { kind: "DictLit", entries, start, end },
    table,
    "",
    false,
  );
}

const read = new WeakMap<FunctionInfo, ReadonlyMap<string, FieldTable>>();

function docTables(c: Checker, fn: FunctionInfo): ReadonlyMap<string, FieldTable> {
  const known = read.get(fn);
  if (known !== undefined) return known;
  // A function that names itself, over others or not, finds nothing of its own.
  read.set(fn, new Map());
  const doc = fn.node.kind === "FnDecl" ? fn.node.doc : "";
  const tables = docFields(fn.name, doc, (name, param) => {
    const other = name === fn.name ? undefined : functionOf(fn.module, name);
    const its = other === undefined ? builtinTables(c, name) : docTables(c, other);
    return its.get(param) ?? its.values().next().value;
  });
  read.set(fn, tables);
  return tables;
}

const functionOf = (module: ModuleInfo, name: string): FunctionInfo | undefined => module.functions.get(name);

function builtinTables(c: Checker, name: string): ReadonlyMap<string, FieldTable> {
  const fields = c.builtinSpec(name)?.fields ?? {};
  const found = Object.entries(fields).map(([param, value]) => [param, tableOf(value)] as const);
  return new Map(found.filter((pair): pair is [string, FieldTable] => pair[1] !== undefined));
}

/** `undefined`: it may have keys that nobody reads here. */
function literalKeys(dict: DictLit): readonly string[] | undefined {
  const keys: string[] = [];
  for (const entry of dict.entries) {
    if (entry.kind === "Spread" || typeof entry.key !== "string") return undefined;
    keys.push(entry.key);
  }
  return keys;
}

interface ParamTables {
  readonly params: readonly string[];
  readonly table: (param: string) => FieldTable | undefined;
}

function judgeArguments(node: Call, judge: OptionJudge, rows: ParamTables): void {
  node.args.every((arg: Arg, index) => {
    // After a spread nobody knows which argument is which.
    if (arg.kind === "Spread") return false;
    const param = arg.kind === "NamedArg" ? arg.name.text : (rows.params[index] ?? "");
    const table = rows.table(param);
    if (table !== undefined) {
      const value = arg.kind === "NamedArg" ? arg.value : arg;
      const form = table.form === undefined ? undefined : value.kind === "ListLit" ? "list" : "dict";
      if (form !== table.form) return true;
      judge.dicts(value, (dict) => judge.dict(dict, table, "", false));
      if (value.kind === "DictLit") judge.needs(value, table);
    }
    return true;
  });
}

type FieldType = Omit<Field, "name">;

/** A number that is written as one. */
function numberOf(node: Expr): number | undefined {
  if (node.kind === "Unary" && node.op === "-") {
    const number = numberOf(node.operand);
    return number === undefined ? undefined : -number;
  }
  return node.kind === "IntLit" || node.kind === "FloatLit" ? Number(node.value) : undefined;
}

/** The parts of a literal list or dict, each with its key as paths write it; undefined for what is none of such a type. */
function partsOf(node: Expr, type: string): (readonly [key: string, value: Expr])[] | undefined {
  if (node.kind === "ListLit" && type.startsWith("list"))
    return node.elements.flatMap((one, index) => (one.kind === "Spread" ? [] : [[`[${index}]`, one]]));
  if (node.kind !== "DictLit" || !type.startsWith("dict")) return undefined;
  return node.entries.flatMap((entry) =>
    entry.kind === "DictEntry" && typeof entry.key === "string" ? [[`.${entry.key}`, entry.value]] : [],
  );
}

/** Variables that hold variables that hold a literal: followed so far. */
const maxSteps = 8;

class OptionJudge {
  private readonly c: Checker;
  private readonly caller: string;
  /** Nobody looks at the options when the call is made: a run warns of them before. */
  private readonly unseen: boolean;
  /** Nothing is laid under the dict: what an option needs beside it must stand there. */
  private readonly whole: boolean;

  constructor(c: Checker, caller: string, unseen = false, whole = false) {
    this.c = c;
    this.caller = caller;
    this.unseen = unseen;
    this.whole = whole;
  }

  /** Texts of options, and of dicts in them, that mean nothing without another key of this dict. */
  needs(outermost: DictLit, table: FieldTable): void {
    const keys = literalKeys(outermost);
    if (!this.whole || keys === undefined) return;
    const sets = new Set(keys.flatMap((key) => table.get(key)?.sets ?? []));
    this.needsIn(outermost, table, "", sets);
  }

  private needsIn(dict: DictLit, table: FieldTable, path: string, sets: ReadonlySet<string>): void {
    for (const entry of dict.entries) {
      if (entry.kind === "Spread" || typeof entry.key !== "string") continue;
      const { key, value } = entry;
      const row = table.get(key);
      const at = path === "" ? key : `${path}.${key}`;
      const need = row?.needs;
      const said = need !== undefined && value.kind === "StringLit" && value.value === need.value;
      if (said && !sets.has(need.from))
        this.c.report("HARN-OPT-007", value, { caller: this.caller, path: at, ...need });
      if (row?.nested !== undefined && value.kind === "DictLit") this.needsIn(value, row.nested, at, sets);
    }
  }

  /** The literal dicts that an expression is made of. */
  dicts(node: Expr, visitDict: (dict: DictLit) => void, steps = maxSteps): void {
    const next = (inner: Expr): void => this.dicts(inner, visitDict, steps - 1);
    if (steps === 0) return;
    switch (node.kind) {
      case "DictLit":
        visitDict(node);
        break;
      case "ListLit":
        for (const one of node.elements) if (one.kind !== "Spread") next(one);
        break;
      case "Ternary":
        next(node.then);
        next(node.else);
        break;
      case "Binary":
        if (node.op === "+" || node.op === "??") {
          next(node.left);
          next(node.right);
        }
        break;
      case "Identifier": {
        const variable = this.c.variableOf(node);
        const begun = variable === undefined ? undefined : this.c.initial.get(variable);
        if (begun !== undefined) next(begun);
        break;
      }
      default:
    }
  }

  dict(dict: DictLit, table: FieldTable, path: string, strict: boolean): void {
    for (const entry of dict.entries) {
      if (entry.kind === "Spread") {
        this.dicts(entry.value, (inner) => this.dict(inner, table, path, strict));
        continue;
      }
      const { key } = entry;
      if (typeof key !== "string") continue;
      const at = path === "" ? key : `${path}.${key}`;
      const row = table.get(key);
      if (row === undefined) this.unknown(table, key, path, strict, entry.keySpan, entry.value);
      else this.value(entry.value, row, at, entry.keySpan, strict || table.strict || row.bounds === true);
    }
  }

  private unknown(
    table: FieldTable,
    key: string,
    path: string,
    strict: boolean,
    span: Span,
    value: Expr,
  ): void {
    if (key.startsWith("_")) return;
    const { hint, near, error } = unknownKey(table, key, strict);
    // Further names are known at run time only.
    if (table.others !== undefined && near === undefined && this.fits(value, table.othersType)) return;
    const code = this.unseen && !error ? "HARN-OPT-005" : "HARN-OPT-001";
    this.c.report(code, span, { caller: this.caller, path, key, hint });
  }

  private value(node: Expr, row: Field, path: string, span: Span, strict: boolean): void {
    const { caller } = this;
    if (row.deprecated !== undefined && node.kind !== "NilLit")
      this.c.report("HARN-OPT-003", span, { caller, path, instead: row.deprecated });
    this.judge(node, row, path, strict);
  }

  /** A value against what it may be: elements, values of maps and forms by what is known of each. */
  private judge(node: Expr, row: FieldType, path: string, strict: boolean): void {
    const { item, nested } = row;
    const parts = item === undefined ? undefined : partsOf(node, row.type);
    if (item !== undefined && parts !== undefined) {
      for (const [key, one] of parts) this.judge(one, item, `${path}${key}`, strict);
      return;
    }
    const form = row.forms?.find((one) => this.fitsOuter(node, one));
    if (form !== undefined) {
      this.judge(node, form, path, strict);
      return;
    }
    const { caller } = this;
    const wrong = this.c.quietly(() => this.mismatch(node, row));
    const code = this.unseen ? "HARN-OPT-006" : "HARN-OPT-002";
    if (wrong !== undefined) this.c.report(code, node, { caller, path, ...wrong });
    if (nested === undefined) return;
    // The rows are those of one form only: of another, or of what is known at run time, the reader of the option speaks.
    if (nested.form !== undefined && node.kind !== (nested.form === "list" ? "ListLit" : "DictLit")) return;
    this.dicts(node, (dict) => {
      if (node.kind !== "DictLit" || !isMapOfDicts(row)) this.dict(dict, nested, path, strict);
      else
        for (const [key, one] of partsOf(node, "dict") ?? [])
          this.dicts(one, (inner) => this.dict(inner, nested, `${path}${key}`, strict));
    });
  }

  /** By the outermost type: what is inside is judged by itself. */
  private fitsOuter(node: Expr, form: FieldType): boolean {
    if (form.forms !== undefined) return form.forms.some((one) => this.fitsOuter(node, one));
    return (form.item !== undefined && partsOf(node, form.type) !== undefined) || this.fits(node, form.type);
  }

  private fits(node: Expr, type: string): boolean {
    const actual = this.c.quietly(() => this.c.visit.infer(this.c, node));
    return accepts(this.c, node, actual, union([typeOfSignature(parseType(type)), nil]));
  }

  private mismatch(node: Expr, row: FieldType): { expected: string; found: string } | undefined {
    const actual = this.c.visit.infer(this.c, node);
    if (!accepts(this.c, node, actual, union([typeOfSignature(parseType(row.type)), nil])))
      return { expected: row.type, found: showType(actual) };
    if (node.kind === "StringLit" && row.values !== undefined && !row.values.includes(node.value))
      return { expected: oneOf(row.values), found: `string ${JSON.stringify(node.value)}` };
    const number = numberOf(node);
    if (number === undefined || row.range === undefined) return undefined;
    const [min, max] = row.range;
    const fits = (min === null || number >= min) && (max === null || number <= max);
    return fits ? undefined : { expected: showRange(row, row.range), found: `${showType(actual)} ${number}` };
  }
}
