/** Servers on this machine: agents of the project, children that work for conversations, recorded runs as pages. */

export * from "./agents.ts";
export { codeSandbox } from "./code-sandbox.ts";
export { conversationSupervisor } from "./conversation-supervisor.ts";
export { listenFailure } from "./listen-failure.ts";
export { type RecordedEvents, type RunSeen, recordedEvents, seenRun } from "./recorded-events.ts";
export { recordedRuns } from "./recorded-runs.ts";
export * from "./running-servers.ts";
export { adminOf, certificateOf, tokenVariable } from "./server-access.ts";
export { showInBrowser } from "./view-server.ts";
export { viewerFiles } from "./viewer-files.ts";
