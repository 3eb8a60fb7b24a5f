/** What is durable: the embedded store of a project, and journals as files. Loaded with the first effect of a run. */
export { Entries, type StoreEntry } from "./entries.ts";
export { ownPlaceCheck, stateFolder, statePlacesOf, storeFile } from "./folders.ts";
export { createJournalFile, journalOfFile, parseJournal } from "./journal-file.ts";
export { type Lease, type LeaseOwner, Leases, leaseMs } from "./leases.ts";
export { type EnqueueOptions, Mailboxes, type MailboxMessage } from "./mailboxes.ts";
export { describeOwner, type Owner, processOf, thisProcess } from "./owner.ts";
export type { Question } from "./questions.ts";
export { type RepairedRun, type RepairReport, repairStore } from "./repair.ts";
export type { RunWriter } from "./run-writer.ts";
export type { PruneRules, RunState, Runs, StoredRunSummary } from "./runs.ts";
export {
  isSealed,
  readSnapshot,
  type SealMarks,
  type SnapshotRoots,
  sealOf,
  writeSnapshot,
} from "./snapshot.ts";
export { manifestFolder, type StatePlaces, statePlaces } from "./state-places.ts";
export { existingStore, openStore, Store, type StoreOptions, withStore } from "./store.ts";
export { isDiskFull, StoreError, type StoreFault } from "./store-error.ts";
export type { LogCursor, NewStreamEvent, NumberedStreamEvent, StreamEvent } from "./streams.ts";
export type { CellsPage, TableShape } from "./tables.ts";
