/** Types as people write them (language.md §17.9). */
import { nil, type Type } from "./type.ts";

/** Longer than this, a type in a message helps nobody. */
const maxLength = 400;

/** The text of a type. */
export function showType(type: Type): string {
  const printer = new TypePrinter();
  printer.type(type);
  return printer.text();
}

/** Writes until the text is long enough: a type may have far more parts than anybody could read. */
class TypePrinter {
  private readonly parts: string[] = [];
  private length = 0;

  text(): string {
    const text = this.parts.join("");
    return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  }

  type(type: Type): void {
    if (this.length > maxLength) return;
    switch (type.kind) {
      case "hole":
        this.put("_");
        return;
      case "any":
      case "unknown":
      case "never":
        this.put(type.kind);
        return;
      case "name":
      case "alias":
        this.put(type.name);
        if (type.args.length > 0) this.list("<", type.args, ">", (arg) => this.type(arg));
        return;
      case "union":
        this.list("", type.members, "", (member) => this.type(member), " | ");
        return;
      case "shape":
        this.list("{", [...type.fields.values()], "}", (field) => {
          this.put(`${field.name}${field.optional ? "?" : ""}: `);
          // The fields of a dict literal whose type is not known are shown as nil (language.md §17.1).
          this.type(field.type.kind === "hole" ? nil : field.type);
        });
        return;
      case "fn":
        this.list("fn(", type.params, ") -> ", (param) => this.type(param));
        this.type(type.returns);
        return;
      case "literal":
        this.put(typeof type.value === "string" ? JSON.stringify(type.value) : String(type.value));
        return;
      case "var":
        this.put(type.name);
        return;
      case "opaque":
        this.put(type.text);
        return;
    }
  }

  private put(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }

  private list<T>(
    open: string,
    items: readonly T[],
    close: string,
    item: (one: T) => void,
    separator = ", ",
  ): void {
    this.put(open);
    for (const [index, one] of items.entries()) {
      if (this.length > maxLength) return;
      if (index > 0) this.put(separator);
      item(one);
    }
    this.put(close);
  }
}

/** `T | nil` the short way, for the checks that exist under strict types only. */
export function showOptional(type: Type): string {
  if (type.kind !== "union" || !type.members.includes(nil)) return showType(type);
  const rest = type.members.filter((member) => member !== nil);
  const text = rest.map(showType).join(" | ");
  return rest.length > 1 ? `(${text})?` : `${text}?`;
}
