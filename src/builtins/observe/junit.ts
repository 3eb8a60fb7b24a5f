/** Results of test runs in the JUnit XML format (builtins.md §2.18). */
import { defineBuiltins } from "../../table/index.ts";
import { Bytes, Dict, List, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

/** What the reports use of XML. */
interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

/** Comments, declarations, CDATA sections and tags, each from a `<`. */
const markup =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<!DOCTYPE[^>[]*(?:\[[^\]]*\])?>|<(\/?)([^\s/>"'=<]+)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)(\/?)>/y;
const attribute = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

const entities: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** Only the five entities of XML and characters by number: nothing expands. */
function unescapeJunitText(text: string): string {
  return text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities.get(name) ?? whole;
    const hex = name[1] === "x" || name[1] === "X";
    const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** The root element; `undefined` for what is not well-formed. */
function parseXml(text: string): Element | undefined {
  const top: Element = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [top];
  for (let at = 0; at < text.length; ) {
    const element = open.at(-1) as Element;
    const next = text.indexOf("<", at);
    element.text += unescapeJunitText(text.slice(at, next < 0 ? undefined : next));
    if (next < 0) break;
    markup.lastIndex = next;
    const match = markup.exec(text);
    if (match === null) return undefined;
    at = markup.lastIndex;
    const [, cdata, closing, name, attributes = "", selfClosing] = match;
    if (cdata !== undefined) element.text += cdata;
    if (name === undefined) continue;
    if (closing === "/") {
      if (open.pop()?.name !== name || open.length === 0) return undefined;
      continue;
    }
    const child: Element = { name, attributes: junitAttributesOf(attributes), children: [], text: "" };
    element.children.push(child);
    if (selfClosing !== "/") open.push(child);
  }
  return open.length === 1 && top.text.trim() === "" ? top.children[0] : undefined;
}

function junitAttributesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(attribute)].map(([, name = "", double, single]) => [
      name,
      unescapeJunitText(double ?? single ?? ""),
    ]),
  );
}

/** All test cases below an element, in the order of the report. Deeply nested suites need no recursion. */
function testCasesOf(root: Element): Element[] {
  const cases: Element[] = [];
  const pending = [root];
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    if (element.name === "testcase") cases.push(element);
    else pending.push(...element.children.toReversed());
  }
  return cases;
}

const outcomes: readonly (readonly [element: string, status: string])[] = [
  ["error", "errored"],
  ["failure", "failed"],
  ["skipped", "skipped"],
];

function caseDict(element: Element): Dict {
  const child = (name: string): Element | undefined => element.children.find((one) => one.name === name);
  const [outcome, status] = outcomes.map(([name, to]) => [child(name), to] as const).find(([one]) => one) ?? [
    undefined,
    "passed",
  ];
  const className = element.attributes.get("classname") ?? "";
  const name = element.attributes.get("name") ?? "";
  const seconds = Number((element.attributes.get("time") ?? "").replaceAll(",", ""));
  return Dict.of({
    name: className === "" ? name : `${className}::${name}`,
    status,
    duration_ms: Number.isFinite(seconds) ? Math.round(seconds * 1000) + 0 : 0,
    message: outcome === undefined ? null : messageOf(outcome),
    stdout: child("system-out")?.text.trim() ?? null,
    stderr: child("system-err")?.text.trim() ?? null,
  });
}

/** The attribute, then the text, each when there is one. */
function messageOf(outcome: Element): Value {
  const parts = [outcome.attributes.get("message")?.trim() ?? "", outcome.text.trim()];
  return parts.filter((part) => part !== "").join("\n") || null;
}

export const junit = defineBuiltins("reports", {
  parse_junit_xml: {
    doc:
      "The test cases of a JUnit XML report: `{name, status, duration_ms, message, stdout, stderr}`, named `class::name`, " +
      "with status `passed`, `failed`, `skipped` or `errored`. A malformed report gives `[]`.",
    sig: "(xml: string | bytes) -> list<dict>",
    effect: "pure",
    example: 'parse_junit_xml("<testcase name=\\"adds\\" time=\\"0.5\\"/>")[0].duration_ms  // 500',
    run: (_task, xml: Argument) => {
      const text = xml instanceof Bytes ? new TextDecoder().decode(xml.data) : textOf(xml);
      const root = parseXml(text.replace(/^\uFEFF/, ""));
      return new List(root === undefined ? [] : testCasesOf(root).map(caseDict));
    },
  },
});
