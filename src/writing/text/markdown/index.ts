export { isKey } from "./citation-syntax.ts";
export { parseMarkdown } from "./parse.ts";
export { normaliseSource } from "./source.ts";
export type * from "./tree.ts";
export { plainText, visitInlines } from "./tree.ts";
