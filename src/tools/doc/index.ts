/** `harn doc`, `:doc` of the REPL and the reference page. */

export { languageWord, languageWordText } from "./language-words.ts";
export { exportText, type ModuleDoc, moduleDoc, modulesText, moduleText } from "./modules.ts";
export { optionPage, optionPaths } from "./options.ts";
export { areaText, builtinText, nameSuggestions, referencePage } from "./reference.ts";
export { searchDocs } from "./search.ts";
