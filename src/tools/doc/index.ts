/** `harn doc`, `:doc` of the REPL and the reference page. */
export { areaText, builtinText, referencePage, suggestions } from "./reference.ts";
