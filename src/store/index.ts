/** What is durable: the journal in a file. The embedded store takes over behind the same ports. */
export { createJournalFile, parseJournal, readJournalFile } from "./journal-file.ts";
