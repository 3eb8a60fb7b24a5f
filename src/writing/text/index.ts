/** Texts of papers: pure, without Node, shared with the browser. The only door. */
export * from "./bibtex/index.ts";
export { checkPaper } from "./check.ts";
export { citationPieces, crossReferenceText } from "./citation-text.ts";
export { soundItem } from "./csl-item.ts";
export { documentOf, type PaperDocument } from "./document.ts";
export * from "./export.ts";
export { imagePaths, isWorkspacePath } from "./images.ts";
export { isWebLink } from "./latex/index.ts";
export {
  type Block,
  type Inline,
  isKey,
  type MarkdownTree,
  normaliseSource,
  parseMarkdown,
  plainText,
} from "./markdown/index.ts";
export * from "./math.ts";
export * from "./paper.ts";
export { headingLabel, labelPattern, referenceKey } from "./reference-keys.ts";
export { referenceLine } from "./references-text.ts";
