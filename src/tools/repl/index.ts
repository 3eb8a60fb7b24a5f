/** `harn repl`: the session, what completes in it, what is said about names. The terminal is the command line's. */
export { type Completion, type CompletionPorts, complete } from "./complete.ts";
export { describe } from "./describe.ts";
export { type Evaluation, type InputOptions, Session, type SessionPorts } from "./session.ts";
