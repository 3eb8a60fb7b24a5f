/** `harn doc`, `:doc` of the REPL and the reference page. */

export { languageWord, languageWordText } from "./language-words.ts";
export * from "./modules.ts";
export { optionPage, optionPaths } from "./options.ts";
export * from "./reference.ts";
export { searchDocs } from "./search.ts";
