/**
 * Options that are given as literal dicts, against the rows of the builtin's parameter: names that mean nothing and
 * values that do not fit, at every depth. A dict that was put together at run time is judged there, by the same rows.
 */
import type { Span } from "../../source/index.ts";
import type { Arg, Call, DictLit, Expr } from "../../syntax/index.ts";
import {
  type Field,
  type FieldTable,
  isMapOfDicts,
  oneOf,
  parseSignature,
  parseType,
  showRange,
  tableOf,
  unknownKey,
} from "../../table/index.ts";
import { type Checker, visit } from "../checker.ts";
import { accepts } from "../literals.ts";
import { typeOf } from "./builtins.ts";
import { showType } from "./show-type.ts";
import { nil, union } from "./type.ts";

/** Judges the arguments of a call for which the builtin has rows. */
export function checkOptions(c: Checker, node: Call, name: string): void {
  const spec = c.builtinWithFields(name);
  if (spec === undefined) return;
  const { params } = parseSignature(spec.sig);
  node.args.every((arg: Arg, index) => {
    // Behind a spread nobody knows which argument is which.
    if (arg.kind === "Spread") return false;
    const param = arg.kind === "NamedArg" ? arg.name.text : (params[index]?.name ?? "");
    const table = tableOf(spec.fields?.[param]);
    if (table !== undefined) {
      const judge = new Judge(c, name);
      const value = arg.kind === "NamedArg" ? arg.value : arg;
      const given = table.form === undefined ? undefined : value.kind === "ListLit" ? "list" : "dict";
      if (given === table.form) judge.dicts(value, (dict) => judge.dict(dict, table, "", false));
    }
    return true;
  });
}

/** Variables that hold variables that hold a literal: followed so far. */
const maxSteps = 8;

class Judge {
  private readonly c: Checker;
  private readonly caller: string;

  constructor(c: Checker, caller: string) {
    this.c = c;
    this.caller = caller;
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
      if (row === undefined) this.unknown(table, key, at, strict, entry.keySpan, entry.value);
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
    const { hint, near } = unknownKey(table, key, strict);
    // Further names are known at run time only.
    if (table.others !== undefined && near === undefined && this.fits(value, table.othersType)) return;
    this.c.report("HARN-OPT-001", span, { caller: this.caller, path, hint });
  }

  private value(node: Expr, row: Field, path: string, span: Span, strict: boolean): void {
    const { caller } = this;
    if (row.deprecated !== undefined && node.kind !== "NilLit")
      this.c.report("HARN-OPT-003", span, { caller, path, instead: row.deprecated });
    const wrong = this.c.quietly(() => this.mismatch(node, row));
    if (wrong !== undefined) this.c.report("HARN-OPT-002", node, { caller, path, ...wrong });
    const { nested } = row;
    if (nested === undefined) return;
    this.dicts(node, (dict) => {
      if (node.kind !== "DictLit" || !isMapOfDicts(row)) this.dict(dict, nested, path, strict);
      else
        for (const entry of dict.entries)
          if (entry.kind === "DictEntry" && typeof entry.key === "string") {
            const at = `${path}.${entry.key}`;
            this.dicts(entry.value, (inner) => this.dict(inner, nested, at, strict));
          }
    });
  }

  private fits(node: Expr, type: string): boolean {
    const actual = this.c.quietly(() => visit.infer(this.c, node));
    return accepts(this.c, node, actual, union([typeOf(parseType(type)), nil]));
  }

  private mismatch(node: Expr, row: Field): { expected: string; found: string } | undefined {
    const actual = visit.infer(this.c, node);
    if (!accepts(this.c, node, actual, union([typeOf(parseType(row.type)), nil])))
      return { expected: row.type, found: showType(actual) };
    if (node.kind === "StringLit" && row.values !== undefined && !row.values.includes(node.value))
      return { expected: oneOf(row.values), found: `string ${JSON.stringify(node.value)}` };
    if (node.kind !== "IntLit" || row.range === undefined) return undefined;
    const [least, most] = row.range;
    const number = Number(node.value);
    const fits = (least === null || number >= least) && (most === null || number <= most);
    return fits ? undefined : { expected: showRange("int", row.range), found: `int ${number}` };
  }
}
