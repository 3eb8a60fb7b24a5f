/** What is durable: the embedded store of a project, and journals as files. Loaded with the first effect of a run. */

export { parsedJson } from "./checked-text.ts";
export type { StoreEntry } from "./entries.ts";
export { ownPlaceCheck, stateFolder, statePlacesOf, storeFile } from "./folders.ts";
export * from "./journal-file.ts";
export { type Lease, type LeaseOwner, leaseMs } from "./leases.ts";
export type { EnqueueOptions, MailboxMessage } from "./mailboxes.ts";
export { describeOwner, isFrozen, isProgram, processOf, signalProcess, thisProcess } from "./owner.ts";
export type { KeptQuestion, Question } from "./questions.ts";
export type { Moves } from "./relocation.ts";
export { repairStore } from "./repair.ts";
export type { RunWriter } from "./run-writer.ts";
export { type RunState, type StoredRunSummary, stateWords } from "./runs.ts";
export * from "./snapshot.ts";
export * from "./state-places.ts";
export { existingStore, openStore, Store, type StoreOptions, withStore } from "./store.ts";
export { isDiskFull, StoreError, type StoreFault } from "./store-error.ts";
export type { LogCursor, NewStreamEvent, StreamEvent } from "./streams.ts";
export type { CellsPage, TableShape } from "./tables.ts";
export { StoreWatch } from "./watch/store-watch.ts";
