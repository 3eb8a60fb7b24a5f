/** Servers on this machine: agents of the project, children that work for conversations, recorded runs as pages. */
export { adminOf, tokenVariable } from "./admin-token.ts";
export { areAnswersWritten, checkServed, manifestFor, servedAgents, serveSettings } from "./agents.ts";
export { certificateOf } from "./certificate.ts";
export { codeSandbox } from "./code-sandbox.ts";
export { conversationSupervisor } from "./conversation-supervisor.ts";
export { type RecordedEvents, recordedEvents } from "./recorded-events.ts";
export { recordedRuns } from "./recorded-runs.ts";
export { listeningServers, noteListening } from "./running-servers.ts";
export { showInBrowser } from "./view-server.ts";
export { viewerFiles } from "./viewer-files.ts";
