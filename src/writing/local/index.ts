/** The papers of the project's store. */
export * from "./paper-store.ts";
