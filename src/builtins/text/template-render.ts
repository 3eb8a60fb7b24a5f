/** Rendering prompt templates. Files come through a function, so that reading them is somebody else's effect. */
import {
  compare,
  Dict,
  equals,
  List,
  Range,
  SetValue,
  StructValue,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type TemplateExpression, TemplateMistake } from "./template-expression.ts";
import { applyFilter, templateText, templateTruthy } from "./template-filters.ts";
import {
  located,
  parseTemplate,
  TemplateError,
  type TemplateNode,
  type TemplatePlace,
} from "./template-parse.ts";

/** Where a template's text comes from and how messages call it; "" for inline text. */
export interface TemplateFile {
  readonly name: string;
  readonly text: string;
}

/** Finds an included file from the file that includes it. Throws a `TemplateMistake`. */
export type Includes = (path: string, from: TemplateFile) => TemplateFile;

/** An error with its place in words: `PATH at L:C: message`. */
export class TemplateFailure {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

const maxDepth = 32;
type TemplateBindings = ReadonlyMap<string, Value>;

/** The ways that a rendering took, for those who look later. */
export interface TemplateStep {
  readonly at: string;
  readonly kind: "if" | "for" | "include";
  readonly taken: string;
}

/** As many are kept: a loop over a million rows needs no million steps. */
const maxSteps = 200;

/** The text of a template, and how it came about; `spend` is called for each of its steps. Throws a `TemplateFailure`. */
export function renderTemplate(
  file: TemplateFile,
  bindings: TemplateBindings,
  includes: Includes,
  spend: () => void,
): { readonly text: string; readonly steps: readonly TemplateStep[] } {
  const rendering = new Rendering(includes, spend);
  rendering.file(file, bindings, [file.name]);
  return { text: rendering.text, steps: rendering.steps };
}

/** Characters of a rendered text. */
const maxTextLength = 64 * 1024 * 1024;

class Rendering {
  private readonly includes: Includes;
  readonly steps: TemplateStep[] = [];
  private readonly out: string[] = [];
  private length = 0;
  private readonly spend: () => void;

  constructor(includes: Includes, spend: () => void) {
    this.includes = includes;
    this.spend = spend;
  }

  get text(): string {
    return this.out.join("");
  }

  private put(text: string): void {
    this.length += text.length;
    if (this.length > maxTextLength)
      throw new TemplateMistake(`the text is longer than ${maxTextLength} characters`);
    this.out.push(text);
  }

  file(file: TemplateFile, bindings: TemplateBindings, chain: readonly string[]): void {
    try {
      this.nodes(parseTemplate(file.text), bindings, file, chain);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { line, column } = error.at;
      const place = `at ${line}:${column}: ${error.message}`;
      throw new TemplateFailure(file.name === "" ? place : `${file.name} ${place}`);
    }
  }

  private nodes(
    nodes: readonly TemplateNode[],
    scope: TemplateBindings,
    file: TemplateFile,
    chain: readonly string[],
  ): void {
    for (const node of nodes) this.node(node, scope, file, chain);
  }

  private node(
    node: TemplateNode,
    scope: TemplateBindings,
    file: TemplateFile,
    chain: readonly string[],
  ): void {
    this.spend();
    switch (node.kind) {
      case "text":
        this.put(node.text);
        return;
      case "value":
        located(node.at, () => this.put(templateValueText(node.expression, scope)));
        return;
      case "if": {
        const index = node.branches.findIndex(({ at, condition }) =>
          located(at, () => templateTruthy(evaluateExpression(condition, scope))),
        );
        const branch = node.branches[index];
        this.step("if", node.at, branch === undefined ? "else" : `branch ${index + 1}`);
        this.nodes(branch?.body ?? node.otherwise, scope, file, chain);
        return;
      }
      case "for":
        this.loop(node, scope, file, chain);
        return;
      case "include":
        this.include(node, scope, file, chain);
    }
  }

  private loop(
    node: Extract<TemplateNode, { kind: "for" }>,
    scope: TemplateBindings,
    file: TemplateFile,
    chain: readonly string[],
  ): void {
    const items = located(node.at, () =>
      iterate(evaluateExpression(node.over, scope), node.names.length === 2),
    );
    this.step("for", node.at, items.length === 0 ? "else" : `${items.length} times`);
    if (items.length === 0) this.nodes(node.otherwise, scope, file, chain);
    items.forEach((values, index) => {
      this.spend();
      const inner = new Map(scope);
      node.names.forEach((name, position) => {
        inner.set(name, values[position] ?? null);
      });
      inner.set(
        "loop",
        Dict.of({
          index: index + 1,
          index0: index,
          first: index === 0,
          last: index === items.length - 1,
          length: items.length,
        }),
      );
      this.nodes(node.body, inner, file, chain);
    });
  }

  private include(
    node: Extract<TemplateNode, { kind: "include" }>,
    scope: TemplateBindings,
    file: TemplateFile,
    chain: readonly string[],
  ): void {
    const inner = new Map(scope);
    const included = located(node.at, () => {
      for (const [name, expression] of node.bindings) inner.set(name, evaluateExpression(expression, scope));
      const path = evaluateExpression(node.path, scope);
      if (typeof path !== "string")
        throw new TemplateMistake(`include path must be a string (got ${typeOf(path)})`);
      const found = this.includes(path, file);
      if (chain.includes(found.name)) {
        throw new TemplateMistake(
          `circular include detected: ${[...chain, found.name].filter(Boolean).join(" → ")}`,
        );
      }
      if (chain.length > maxDepth) throw new TemplateMistake(`include depth exceeded (${maxDepth} levels)`);
      return found;
    });
    this.step("include", node.at, included.name);
    this.file(included, inner, [...chain, included.name]);
  }

  private step(kind: TemplateStep["kind"], { line, column }: TemplatePlace, taken: string): void {
    if (this.steps.length < maxSteps) this.steps.push({ at: `${line}:${column}`, kind, taken });
  }
}

/** A bare name that nothing binds stays as it is written, without its blanks. */
function templateValueText(expression: TemplateExpression, scope: TemplateBindings): string {
  if (expression.kind === "name" && !scope.has(expression.name)) return `{{${expression.name}}}`;
  return templateText(evaluateExpression(expression, scope));
}

const constants: TemplateBindings = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["nil", null],
]);

function evaluateExpression(expression: TemplateExpression, scope: TemplateBindings): Value {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "name":
      return scope.get(expression.name) ?? constants.get(expression.name) ?? null;
    case "step":
      return step(evaluateExpression(expression.of, scope), expression.key);
    case "not":
      return !templateTruthy(evaluateExpression(expression.of, scope));
    case "compare":
      return templateCompares(
        expression.operator,
        evaluateExpression(expression.left, scope),
        evaluateExpression(expression.right, scope),
      );
    case "and":
    case "or": {
      const left = evaluateExpression(expression.left, scope);
      return templateTruthy(left) === (expression.kind === "or")
        ? left
        : evaluateExpression(expression.right, scope);
    }
    case "filter": {
      const args = expression.args.map((arg) => evaluateExpression(arg, scope));
      return applyFilter(expression.name, evaluateExpression(expression.of, scope), args);
    }
  }
}

function step(value: Value, key: string | number): Value {
  if (typeof key === "number" && value instanceof List) {
    return value.at(key < 0 ? value.length + key : key) ?? null;
  }
  if (value instanceof Dict) return value.get(String(key)) ?? null;
  if (value instanceof StructValue) return new Map(value.entries()).get(String(key)) ?? null;
  return null;
}

/** Between unlike types only equality means anything. */
function templateCompares(operator: string, a: Value, b: Value): boolean {
  if (operator === "==") return equals(a, b);
  if (operator === "!=") return !equals(a, b);
  const numbers = isNumberValue(a) && isNumberValue(b);
  if (!numbers && !(typeof a === "string" && typeof b === "string")) return false;
  const order = compare(a, b);
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

const isNumberValue = (value: Value): boolean => ["int", "float"].includes(typeOf(value));

/** The loop variables' values, one list per turn. */
function iterate(value: Value, withKey: boolean): Value[][] {
  if (value === null) return [];
  if (value instanceof Dict) {
    return [...value.entries()].map(([key, entry]) =>
      withKey ? [key, entry] : [Dict.of({ key, value: entry })],
    );
  }
  const items =
    value instanceof List || value instanceof SetValue
      ? value.toArray()
      : value instanceof Range
        ? Array.from({ length: value.length }, (_, i): Value => value.from + i)
        : undefined;
  if (items === undefined) {
    throw new TemplateMistake(`cannot iterate over ${typeOf(value)} — expected list, dict, set, or range`);
  }
  return items.map((item, index) => (withKey ? [index, item] : [item]));
}
