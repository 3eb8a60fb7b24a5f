/** Values of a script as content of the protocol: text, pictures, sound, resources and links to them. */
import { Dict, display, jsonStringify, List, toJson, type Value } from "../values/index.ts";

export type ServedContent = { readonly type: string; readonly [key: string]: unknown };

/** Names that scripts write in their own way. */
const spellings: { readonly [name: string]: string } = { mime_type: "mimeType", base64: "data" };

/** A dict that says that it is content, in the protocol's spelling; `undefined` for any other value. */
export function contentItem(value: Value): ServedContent | undefined {
  if (!(value instanceof Dict)) return undefined;
  const item = spelled(value);
  const has = (...names: string[]): boolean => names.every((name) => typeof item[name] === "string");
  switch (item.type) {
    case "text":
      return has("text") ? (item as ServedContent) : undefined;
    case "image":
    case "audio":
      return has("data", "mimeType") ? (item as ServedContent) : undefined;
    case "resource_link":
      return has("uri", "name") ? (item as ServedContent) : undefined;
    case "resource": {
      const inner = value.get("resource");
      if (!(inner instanceof Dict)) return undefined;
      const resource = spelled(inner);
      const whole = typeof resource.uri === "string" && ["text", "blob"].some((name) => name in resource);
      return whole ? { ...item, type: "resource", resource } : undefined;
    }
    default:
      return undefined;
  }
}

function spelled(dict: Dict): { [key: string]: unknown } {
  const plain = toJson(dict) as { readonly [key: string]: unknown };
  return Object.fromEntries(Object.entries(plain).map(([name, value]) => [spellings[name] ?? name, value]));
}

/** A list of content as it is; everything else is one text. */
export function contentList(value: Value): ServedContent[] {
  if (value instanceof List && value.toArray().length > 0) {
    const items = value.toArray().map(contentItem);
    if (items.every((item) => item !== undefined)) return items;
  }
  const item = contentItem(value);
  return [item ?? { type: "text", text: servedText(value) }];
}

/** Texts as they are, other values as JSON. */
export function servedText(value: Value): string {
  if (typeof value === "string") return value;
  return value === null || typeof value === "boolean" || typeof value === "number"
    ? display(value)
    : jsonStringify(value);
}
