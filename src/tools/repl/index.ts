/** `harn repl`: the session, what completes in it, what is said about names. The terminal is the command line's. */
export { type CompletionPorts, complete, type ReplCompletion } from "./complete.ts";
export { describe } from "./describe.ts";
export { type Evaluation, type InputOptions, type ReplPorts, Session } from "./session.ts";
