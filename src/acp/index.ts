/** The Agent Client Protocol: a script as an agent of an editor. */
export { ScriptAgent } from "./agent.ts";
