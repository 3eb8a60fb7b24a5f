/** The papers of the project's store. */
export { changePapers, exportableOf, lookAtPapers, noPaper, paperNamed } from "./paper-store.ts";
