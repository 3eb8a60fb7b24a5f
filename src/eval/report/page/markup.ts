/**
 * HTML and SVG as trees that are always escaped: what comes from a trial can only ever be text or the value of an
 * attribute. Nothing else in this folder writes a `<`.
 */

/** Markup that this file has made. */
export interface Markup {
  readonly html: string;
}

export type Child = Markup | string | number | null | undefined | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const voidElements = new Set(["meta", "input", "br", "hr"]);

/** An element. Attributes that are false or undefined are left out, true ones have no value. */
export function h(tag: string, attributes: Attributes = {}, ...children: Child[]): Markup {
  const head = Object.entries(attributes)
    .map(([name, value]) => attributeText(name, value))
    .join("");
  if (voidElements.has(tag)) return { html: `<${tag}${head}>` };
  return { html: `<${tag}${head}>${children.map(childText).join("")}</${tag}>` };
}

function attributeText(name: string, value: Attributes[string]): string {
  if (value === undefined || value === false) return "";
  return value === true ? ` ${name}` : ` ${name}="${escapeMarkup(String(value))}"`;
}

function childText(child: Child): string {
  if (child === null || child === undefined) return "";
  if (typeof child === "string" || typeof child === "number") return escapeMarkup(String(child));
  return "html" in child ? child.html : child.map(childText).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters, which HTML can't hold, become U+FFFD; so do lone surrogates. */
export const escapeMarkup = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are replaced.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "\ufffd")
    .replace(/[&<>"']/g, (char) => entities[char] as string);

/** JSON as the text of a `script` element: nothing in it ends the element or begins a comment. */
export const jsonMarkup = (id: string, json: string): Markup => ({
  html: `<script type="application/json" id="${escapeMarkup(id)}">${json
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")}</script>`,
});

/** Our own style and script, which hold neither `</` nor anything from outside. */
export const ownCode = (tag: "style" | "script", code: string): Markup => ({
  html: `<${tag}>${code}</${tag}>`,
});
