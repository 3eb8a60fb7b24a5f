/** Filters of prompt templates (language.md §24.2). */
import {
  chars,
  Dict,
  display,
  jsonPretty,
  jsonStringify,
  List,
  Range,
  SetValue,
  textLength,
  truthy,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { titleCase, upperFirst } from "./letter-case.ts";
import { TemplateMistake } from "./template-expression.ts";
import { replaceAll } from "./text-replace.ts";

/** Truth in templates: that of the language, except that blank strings are false and empty sets true. */
export function templateTruthy(value: Value): boolean {
  if (typeof value === "string") return value.trim() !== "";
  return value instanceof SetValue || truthy(value);
}

/** What a value prints: nil is empty. */
export function templateText(value: Value): string {
  return value === null ? "" : display(value);
}

interface Filter {
  readonly min: number;
  readonly max: number;
  run(value: Value, args: readonly Value[]): Value;
}

const valueFilter = (run: (value: Value) => Value): Filter => ({ min: 0, max: 0, run });
const onText = (run: (text: string) => string): Filter => valueFilter((value) => run(templateText(value)));

function elements(value: Value): Value[] {
  if (value instanceof List || value instanceof SetValue) return value.toArray();
  if (value instanceof Range) return Array.from({ length: value.length }, (_, i) => value.from + i);
  return chars(templateText(value));
}

function filteredLengthOf(value: Value): Value {
  if (value === null) return 0;
  if (typeof value === "string") return textLength(value);
  if (value instanceof List || value instanceof Range) return value.length;
  if (value instanceof Dict || value instanceof SetValue) return value.size;
  throw new TemplateMistake(`\`length\` not defined for ${typeOf(value)}`);
}

function indentFilter(value: Value, [width, first]: readonly Value[]): Value {
  if (typeof width !== "number") throw new TemplateMistake("`indent` requires an integer width");
  const prefix = " ".repeat(Math.min(Math.max(width, 0), 1000));
  const all = first !== undefined && templateTruthy(first);
  return templateText(value)
    .split("\n")
    .map((line, index) => (line.trim() === "" || (index === 0 && !all) ? line : prefix + line))
    .join("\n");
}

const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["upper", onText((text) => text.toUpperCase())],
  ["lower", onText((text) => text.toLowerCase())],
  ["trim", onText((text) => text.trim())],
  ["capitalize", onText(upperFirst)],
  ["title", onText(titleCase)],
  ["length", valueFilter(filteredLengthOf)],
  ["first", valueFilter((value) => elements(value)[0] ?? null)],
  ["last", valueFilter((value) => elements(value).at(-1) ?? null)],
  [
    "reverse",
    valueFilter((value) => {
      const reversed = elements(value).reverse();
      return typeof value === "string" ? reversed.join("") : new List(reversed);
    }),
  ],
  [
    "join",
    {
      min: 1,
      max: 1,
      run: (value, [separator]) => {
        if (!(value instanceof List))
          throw new TemplateMistake(`\`join\` requires a list (got ${typeOf(value)})`);
        return value
          .toArray()
          .map(templateText)
          .join(templateText(separator ?? null));
      },
    },
  ],
  ["default", { min: 1, max: 1, run: (value, [other]) => (templateTruthy(value) ? value : (other ?? null)) }],
  [
    "json",
    {
      min: 0,
      max: 1,
      run: (value, [pretty]) =>
        pretty !== undefined && templateTruthy(pretty) ? jsonPretty(value) : jsonStringify(value),
    },
  ],
  ["indent", { min: 1, max: 2, run: indentFilter }],
  ["lines", valueFilter((value) => new List(templateText(value).split("\n")))],
  ["escape_md", onText((text) => text.replace(/[\\`*_{}[\]()#+\-.!|<>]/g, "\\$&"))],
  [
    "replace",
    {
      min: 2,
      max: 2,
      run: (value, [from, to]) =>
        replaceAll(templateText(value), templateText(from ?? null), templateText(to ?? null)),
    },
  ],
]);

/** The value of a filter. Throws a `TemplateMistake`. */
export function applyFilter(name: string, value: Value, args: readonly Value[]): Value {
  const filter = filters.get(name);
  if (filter === undefined) throw new TemplateMistake(`unknown filter \`${name}\``);
  if (args.length < filter.min || args.length > filter.max) {
    throw new TemplateMistake(`filter \`${name}\` got wrong number of arguments`);
  }
  return filter.run(value, args);
}
