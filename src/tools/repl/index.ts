/** `harn repl`: the session, what completes in it, what is said about names. The terminal is the command line's. */
export * from "./complete.ts";
export * from "./session.ts";
