/** Strings as free functions (builtins.md §2.4). Positions and lengths count code points. */
import { defineBuiltins } from "../../table/index.ts";
import {
  characterPosition,
  chars,
  display,
  equals,
  formatText,
  List,
  runtimeError,
  sliceText,
  textLength,
  type Value,
} from "../../values/index.ts";
import { type Argument, intOr, textOf } from "../arguments.ts";
import { convertCase, lowerFirst, titleCase, upperFirst } from "./letter-case.ts";
import { graphemes, padToWidth, wrapText } from "./text-layout.ts";
import { replaceAll, splitText } from "./text-replace.ts";

/** A fill's grapheme may take several units: this keeps the result within one string. */
const maxPadding = 10_000_000;

function caseFunction(from: string, to: string, example: string, result: string) {
  return {
    doc: `From ${from} to ${to} case.`,
    sig: "(text: any) -> string",
    effect: "pure" as const,
    example: `${from}_to_${to}("${example}")  // ${result}`,
    run: (_task: unknown, text: Argument): Value => convertCase(textOf(text), from, to),
  };
}

/** Lines without the blanks that all non-blank lines begin with. */
function dedentText(text: string): string {
  const lines = text.split("\n");
  let common: string | undefined;
  for (const line of lines) {
    if (line.trim() === "") continue;
    const blanks = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (common === undefined) common = blanks;
    while (!blanks.startsWith(common)) common = common.slice(0, -1);
  }
  const width = common?.length ?? 0;
  return lines.map((line) => (line.trim() === "" ? "" : line.slice(width))).join("\n");
}

export const strings = defineBuiltins("strings", {
  trim: {
    doc: "Without white space at both ends.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'trim("  a b ")  // a b',
    run: (_task, text: Argument) => textOf(text).trim(),
  },
  lowercase: {
    doc: "In lower case.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'lowercase("ÄB")  // äb',
    run: (_task, text: Argument) => textOf(text).toLowerCase(),
  },
  uppercase: {
    doc: "In upper case.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'uppercase("straße")  // STRASSE',
    run: (_task, text: Argument) => textOf(text).toUpperCase(),
  },
  split: {
    doc: "The parts around every occurrence of the separator.",
    sig: '(text: any, separator: string = " ") -> list<string>',
    effect: "pure",
    example: 'split("a,b", ",")  // [a, b]',
    run: (_task, text: Argument, separator: Argument) =>
      new List(splitText(textOf(text), textOf(separator, " "))),
  },
  starts_with: {
    doc: "Whether the text begins with the prefix.",
    sig: "(text: any, prefix: any) -> bool",
    effect: "pure",
    example: 'starts_with("abc", "ab")  // true',
    run: (_task, text: Argument, prefix: Argument) => textOf(text).startsWith(textOf(prefix)),
  },
  ends_with: {
    doc: "Whether the text ends with the suffix.",
    sig: "(text: any, suffix: any) -> bool",
    effect: "pure",
    example: 'ends_with("abc", "bc")  // true',
    run: (_task, text: Argument, suffix: Argument) => textOf(text).endsWith(textOf(suffix)),
  },
  contains: {
    doc: "A substring of a string, a member of a list. False for every other type: use `in` or `has` for dicts.",
    sig: "(container: any, needle: any) -> bool",
    effect: "pure",
    traits: ["borrows"],
    example: 'contains("abc", "b")  // true',
    run: (_task, container: Argument, needle: Argument) => {
      if (typeof container === "string") return container.includes(textOf(needle));
      if (!(container instanceof List)) return false;
      for (const element of container) if (equals(element, needle ?? null)) return true;
      return false;
    },
  },
  replace: {
    doc: "Every occurrence replaced, literally. Without a replacement they are deleted.",
    sig: '(text: any, old: any, new: any = "") -> string',
    effect: "pure",
    example: 'replace("a-b-c", "-", "+")  // a+b+c',
    run: (_task, text: Argument, old: Argument, replacement: Argument) =>
      replaceAll(textOf(text), textOf(old), textOf(replacement)),
  },
  join: {
    doc: 'The display forms of a list\'s elements with a separator between them; "" for anything but a list.',
    sig: '(values: list, separator: any = "") -> string',
    effect: "pure",
    example: 'join([1, "a"], ", ")  // 1, a',
    run: (_task, values: Argument, separator: Argument) =>
      values instanceof List
        ? values
            .toArray()
            .map((value) => display(value))
            .join(textOf(separator))
        : "",
  },
  substring: {
    doc: "Part of a text from a position, with an optional length (the method of this name takes an end instead).",
    sig: "(text: any, start: int, length?: int) -> string",
    effect: "pure",
    example: 'substring("hello world", 6, 3)  // wor',
    run: (_task, text: Argument, start: Argument, length: Argument) => {
      const whole = textOf(text);
      const size = textLength(whole);
      const from = Math.min(Math.max(intOr(start, 0), 0), size);
      return sliceText(whole, from, Math.min(from + Math.max(intOr(length, size), 0), size));
    },
  },
  format: {
    doc: "Fills `{}` in order or, when the second argument is a dict, `{key}`. `{:.2}` and `{key:.2}` (or `:.2f`) round a number to so many decimals; another specification is an error. What can't be filled stays.",
    sig: "(template: any, ...values: any) -> string",
    effect: "pure",
    traits: ["onlyGives", "fillsTemplate"],
    example: 'format("{} of {:.2}", 1, 2.5)  // 1 of 2.50',
    run: (_task, template: Argument, ...values: Value[]) => formatText(textOf(template), values),
  },
  str_pad: {
    doc: "Padded to a width, counted in graphemes; `side` is left, right or both.",
    sig: '(text: any, width: int, fill: string = " ", side!: "left" | "right" | "both" = "right") -> string',
    effect: "pure",
    example: 'str_pad("7", 3, "0", "left")  // 007',
    run: (_task, text: Argument, width: Argument, fill: Argument, side = "right") => {
      const columns = intOr(width, 0);
      if (columns > maxPadding) throw runtimeError("str_pad: width is too large");
      return padToWidth(textOf(text), columns, textOf(fill, " "), side);
    },
  },
  unicode_normalize: {
    doc: "In a Unicode normal form.",
    sig: '(text: any, form!: "NFC" | "NFD" | "NFKC" | "NFKD" = "NFC") -> string',
    effect: "pure",
    example: 'len(unicode_normalize("é", "NFD"))  // 2',
    run: (_task, text: Argument, form = "NFC") => {
      return textOf(text).normalize(form);
    },
  },
  unicode_graphemes: {
    doc: "The extended grapheme clusters: what a reader sees as characters.",
    sig: "(text: any) -> list<string>",
    effect: "pure",
    example: 'len(unicode_graphemes("👩‍👧a"))  // 2',
    run: (_task, text: Argument) => new List(graphemes(textOf(text))),
  },
  snake_to_camel: caseFunction("snake", "camel", "my_long_name", "myLongName"),
  snake_to_pascal: caseFunction("snake", "pascal", "my_long_name", "MyLongName"),
  snake_to_kebab: caseFunction("snake", "kebab", "my_long_name", "my-long-name"),
  camel_to_snake: caseFunction("camel", "snake", "parseHTTPUrl2Go", "parse_http_url2_go"),
  pascal_to_snake: caseFunction("pascal", "snake", "HTTPServer", "http_server"),
  camel_to_kebab: caseFunction("camel", "kebab", "myLongName", "my-long-name"),
  kebab_to_camel: caseFunction("kebab", "camel", "my-long-name", "myLongName"),
  kebab_to_snake: caseFunction("kebab", "snake", "my-long-name", "my_long_name"),
  pascal_to_camel: caseFunction("pascal", "camel", "MyName", "myName"),
  camel_to_pascal: caseFunction("camel", "pascal", "myName", "MyName"),
  title_case: {
    doc: "Each word with a capital and the rest in lower case; only white space separates words.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'title_case("hELLO big-world")  // Hello Big-world',
    run: (_task, text: Argument) => titleCase(textOf(text)),
  },
  uppercase_first: {
    doc: "With the first letter in upper case.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'uppercase_first("aBC")  // ABC',
    run: (_task, text: Argument) => upperFirst(textOf(text)),
  },
  lowercase_first: {
    doc: "With the first letter in lower case.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'lowercase_first("ABC")  // aBC',
    run: (_task, text: Argument) => lowerFirst(textOf(text)),
  },
  index_of: {
    doc: "Position of the first occurrence at or after `from`; -1 when there is none.",
    sig: "(text: any, needle: any, from: int = 0) -> int",
    effect: "pure",
    example: 'index_of("banana", "a", 2)  // 3',
    run: (_task, text: Argument, needle: Argument, from: Argument) => {
      const whole = textOf(text);
      const start = Math.max(intOr(from, 0), 0);
      const offset = start === 0 ? 0 : sliceText(whole, 0, Math.min(start, textLength(whole))).length;
      return characterPosition(whole, whole.indexOf(textOf(needle), offset));
    },
  },
  chars: {
    doc: "The characters of a text.",
    sig: "(text: any) -> list<string>",
    effect: "pure",
    example: 'chars("añ")  // [a, ñ]',
    run: (_task, text: Argument) => new List(chars(textOf(text))),
  },
  repeat: {
    doc: "The text, `count` times.",
    sig: "(text: any, count: int) -> string",
    effect: "pure",
    example: 'repeat("ab", 2)  // abab',
    run: (_task, text: Argument, count: Argument) => {
      const once = textOf(text);
      const times = Math.max(intOr(count, 0), 0);
      if (once.length * times > 0x1fff_0000) throw runtimeError("repeat: result is too long for one string");
      return once.repeat(times);
    },
  },
  indent: {
    doc: "Puts a prefix before each line that is not blank.",
    sig: '(text: any, prefix: string = "  ") -> string',
    effect: "pure",
    example: 'indent("a\\n\\nb", "> ") == "> a\\n\\n> b"  // true',
    run: (_task, text: Argument, prefix: Argument) => {
      const before = textOf(prefix, "  ");
      const lines = textOf(text).split("\n");
      return lines.map((line) => (line.trim() === "" ? line : before + line)).join("\n");
    },
  },
  dedent: {
    doc: "Without the blanks that all lines begin with.",
    sig: "(text: any) -> string",
    effect: "pure",
    example: 'dedent("  a\\n    b") == "a\\n  b"  // true',
    run: (_task, text: Argument) => dedentText(textOf(text)),
  },
  word_wrap: {
    doc: "Each line broken at blanks so that none is longer than `width`; longer words stay whole.",
    sig: "(text: any, width: int = 80) -> string",
    effect: "pure",
    example: 'word_wrap("aa bb cc", 5) == "aa bb\\ncc"  // true',
    run: (_task, text: Argument, width: Argument) => wrapText(textOf(text), Math.max(intOr(width, 80), 1)),
  },
});
