/** One file of a program, the runtime and Node: `harn build`. */
export { buildExecutable, type ExecutableToBuild, mustBeFree } from "./build.ts";
export { licencesFolder } from "./licences.ts";
