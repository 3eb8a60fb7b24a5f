/** Adapters to Node: clock, random, files, processes, terminal. */

export { nodeAtRest } from "./at-rest.ts";
export type { ChildEnd, ChildPool, JobChild, JobOptions, PoolLimits } from "./child-pool.ts";
export { shippedModule } from "./command/shipped-files.ts";
export { typedCommand } from "./command/typed-command.ts";
export type * from "./database-port.ts";
export { unlessAborted } from "./deadline.ts";
export * from "./digest.ts";
export { ipAddress, isLoopback } from "./egress/ip-address.ts";
export * from "./file-watch.ts";
export {
  AccessGate,
  type AccessJudge,
  type FileAccess,
  type HostAccess,
  type ProcessAccess,
} from "./guard/access.ts";
export { resolve as resolvedPath } from "./guard/checked-files.ts";
export * from "./guard/guarded-host.ts";
export * from "./hermetic/hermetic-host.ts";
export { MemoryFiles } from "./hermetic/memory-files.ts";
export { memorySqlite } from "./hermetic/memory-sqlite.ts";
export { VirtualClock } from "./hermetic/virtual-clock.ts";
export type * from "./http-port.ts";
export type * from "./http-server-port.ts";
export * from "./interrupts.ts";
export {
  boundTaking,
  listeningServer,
  type ServerBounds,
  serverOptions,
  usualBounds,
} from "./listening.ts";
export type {
  McpAsk,
  McpClients,
  McpConnection,
  McpJson,
  McpObject,
  McpServerFacts,
  McpServes,
  McpTarget,
} from "./mcp/mcp-port.ts";
export { nodeCompression } from "./node/node-compression.ts";
export { nodeCrypto } from "./node/node-crypto.ts";
export { nodeFiles } from "./node/node-files.ts";
export * from "./node/node-host.ts";
export { nodeNetwork } from "./node/node-network.ts";
export * from "./node/os-errors.ts";
export { sweep as killMarked, sweepAll as killAllMarked, treeToken } from "./node/process-tree.ts";
export { overlaidHost } from "./overlaid-host.ts";
export { ownCommand } from "./own-command.ts";
export { foldedParts } from "./path-parts.ts";
export { type ParentLine, type PoolJob, poolMark, servePoolJob } from "./pool-child.ts";
export {
  type Clock,
  type CompressionFormat,
  type Crypto,
  type Curve,
  type FileInfo,
  type Files,
  type HashAlgorithm,
  type Host,
  HostError,
  type HttpBody,
  type HttpHooks,
  type HttpRequest,
  type HttpResponse,
  type JwtAlgorithm,
  type MachineFacts,
  machineOfProgram,
  machineOfRuntime,
  type Network,
  type OutputPiece,
  type Processes,
  type ProcessOptions,
  type ProcessResult,
  type RunningProgram,
  type Sensors,
  type StandardStream,
} from "./ports.ts";
export * from "./run-id.ts";
export type * from "./socket-port.ts";

/** Child processes for work that must not take others with it: for long-running commands only. */
export const loadChildPool = () => import("./child-pool.ts");
export const loadSigningKeys = () => import("./signing-keys.ts");
export { egressCheck, egressPolicy, enterEgressScope, privateCheck, watchEgress } from "./egress/state.ts";
export * from "./guard/effect-guard.ts";
export { effectOwner } from "./guard/effect-owner.ts";
