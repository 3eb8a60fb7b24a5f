/** XML (std/xml). */

import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, display, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, intOr, option, textOf } from "../arguments.ts";
import { xmlFields } from "../rows/text.ts";
import { isXmlName, xmlParse } from "./xml-read.ts";

/** Values to XML, in the form that xml-read.ts reads. */
interface XmlLayout {
  /** The root element's name, for a value that does not name one. */
  readonly root: string;
  /** Blanks per level; 0: everything in one line. */
  readonly indent: number;
  readonly declaration: boolean;
}

const maxDepth = 1000;

function elementXml(value: Value, layout: XmlLayout): string {
  const [name, content] = xmlRoot(value, layout);
  const lines = layout.declaration ? ['<?xml version="1.0" encoding="UTF-8"?>'] : [];
  xmlElement(name, content, 0, layout, lines);
  return layout.indent > 0 ? `${lines.join("\n")}\n` : lines.join("");
}

/** A dict with one child that is no list names its root itself. */
function xmlRoot(value: Value, { root }: XmlLayout): [string, Value] {
  if (value instanceof Dict && value.size === 1) {
    const [key] = value.keys();
    const only = value.get(key as string) ?? null;
    if (isChild(key as string) && !(only instanceof List)) return [key as string, only];
  }
  return [root, value instanceof List ? Dict.of({ item: value }) : value];
}

const isChild = (key: string): boolean => key !== "#text" && !key.startsWith("@");

function xmlElement(name: string, value: Value, depth: number, layout: XmlLayout, lines: string[]): void {
  if (!isXmlName(name)) throw thrown(`xml_stringify: '${name}' is no element name`);
  if (depth > maxDepth) throw thrown(`xml_stringify: value is nested more than ${maxDepth} levels deep`);
  const pad = " ".repeat(layout.indent * depth);
  if (!(value instanceof Dict)) {
    lines.push(
      pad + (value === null ? `<${name}/>` : `<${name}>${escapeXmlText(xmlScalar(name, value))}</${name}>`),
    );
    return;
  }
  const entries = [...value.entries()];
  const attributes = entries
    .filter(([key]) => key.startsWith("@"))
    .map(([key, one]) => writeXmlAttribute(key, one));
  const head = `<${[name, ...attributes].join(" ")}`;
  const children = entries.filter(([key]) => isChild(key));
  const input = value.get("#text") ?? null;
  const text = input === null ? "" : escapeXmlText(xmlScalar(name, input));
  if (children.length === 0) {
    lines.push(pad + (text === "" ? `${head}/>` : `${head}>${text}</${name}>`));
    return;
  }
  lines.push(`${pad}${head}>${text}`);
  for (const [key, child] of children) {
    const same = child instanceof List ? child.toArray() : [child];
    for (const one of same)
      xmlElement(key, one instanceof List ? Dict.of({ item: one }) : one, depth + 1, layout, lines);
  }
  lines.push(`${pad}</${name}>`);
}

function writeXmlAttribute(key: string, value: Value): string {
  const name = key.slice(1);
  if (!isXmlName(name)) throw thrown(`xml_stringify: '${name}' is no attribute name`);
  return `${name}="${escapeXmlText(xmlScalar(name, value)).replaceAll('"', "&quot;").replaceAll("\n", "&#10;")}"`;
}

function xmlScalar(name: string, value: Value): string {
  if (value instanceof Dict || value instanceof List)
    throw refusal(at("xml_stringify", name), "string", value);
  const text = value === null ? "" : display(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML has no form for.
  if (/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text))
    throw thrown(`xml_stringify: '${name}' holds a control character, which XML has no form for`);
  return text;
}

const escapeXmlText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");

export const xml = defineBuiltins("xml", {
  xml_parse: {
    doc:
      "A document as a dict: attributes are `@name`, text beside them `#text`, children of one name a list, an element with " +
      "nothing but text that text, an empty one nil. Document types are skipped; entities of one's own are unknown.",
    sig: "(text: any) -> dict",
    effect: "pure",
    example: "xml_parse(\"<a x='1'><b>t</b><b/></a>\")  // {a: {@x: 1, b: [t, nil]}}",
    run: (_task, text: Argument) => xmlParse(textOf(text)),
  },
  xml_stringify: {
    doc:
      "A document of a value in the form that `xml_parse` gives. Options: `root` (`root`), for a value that does not name " +
      "its root element; `indent` (0), `declaration` (false). Members of lists without a name are `item`.",
    sig: "(value: any, options?: {root?: string, indent?: int, declaration?: bool}) -> string",
    effect: "pure",
    example: 'xml_stringify({a: {"@x": 1, b: ["t", nil]}})  // <a x="1"><b>t</b><b/></a>',
    fields: { options: () => xmlFields },
    run: (_task, value: Argument, options: Argument) =>
      elementXml(value ?? null, {
        root: textOf(option(options, "root"), "root"),
        indent: Math.min(16, Math.max(0, intOr(option(options, "indent"), 0))),
        declaration: option(options, "declaration") === true,
      }),
  },
});
