/** Adapters to Node: clock, random, files, processes, terminal. */

export { nodeAtRest } from "./at-rest.ts";
export type {
  ChildPool,
  JobChild,
  JobEnd,
  JobOptions,
  KillReason,
  PoolLimits,
  PoolOptions,
} from "./child-pool.ts";
export { shippedModule } from "./command/shipped-folder.ts";
export type {
  DatabaseAnswer,
  DatabasePool,
  DatabaseSession,
  DatabaseStatement,
  Databases,
  DatabaseTarget,
  SslMode,
} from "./database-port.ts";
export { newRunId, nodeDigest, nodeOutputHash, nodePlatform, nodeSeed } from "./digest.ts";
export { changedPaths, lookAt, untilChanged, type WatchState } from "./file-watch.ts";
export {
  AccessGate,
  type AccessJudge,
  type FileAccess,
  type HostAccess,
  type NetworkAccess,
  type ProcessAccess,
} from "./guard/access.ts";
export { resolve as resolvedPath } from "./guard/checked-files.ts";
export { gateOf, guardHost } from "./guard/guarded-host.ts";
export { currentOwner, runOwned } from "./guard/owner.ts";
export { type HermeticOptions, hermeticHost, hermeticSeed } from "./hermetic/hermetic-host.ts";
export { type BaseFolder, MemoryFiles } from "./hermetic/memory-files.ts";
export { memorySqlite } from "./hermetic/memory-sqlite.ts";
export { VirtualClock } from "./hermetic/virtual-clock.ts";
export type { HttpProxy, HttpTls } from "./http-port.ts";
export type {
  AnswerHeaders,
  HttpArrival,
  HttpListener,
  HttpServing,
  IncomingRequest,
  Reply,
} from "./http-server-port.ts";
export { Inbox } from "./inbox.ts";
export {
  type NodeInterrupts,
  nodeInterrupts,
  type StopSignal,
  signalPatienceMs,
  stopRequests,
  type WatchedSigint,
  watchSigint,
} from "./interrupts.ts";
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
  McpWait,
} from "./mcp/mcp-port.ts";
export { nodeCompression } from "./node/node-compression.ts";
export { nodeCrypto } from "./node/node-crypto.ts";
export { nodeFiles } from "./node/node-files.ts";
export { createNodeHost, type NodeHostOptions, nodeLibraries } from "./node/node-host.ts";
export { nodeNetwork } from "./node/node-network.ts";
export { hostError, systemError } from "./node/os-errors.ts";
export { sweep as killMarked, sweepAll as killAllMarked, treeToken } from "./node/process-tree.ts";
export { foldedParts } from "./path-parts.ts";
export { type ParentLine, type PoolJob, poolMark, servePoolJob } from "./pool-child.ts";
export {
  type Clock,
  type Compression,
  type CompressionFormat,
  type Crypto,
  type Curve,
  type FileInfo,
  type Files,
  type HashAlgorithm,
  type Host,
  HostError,
  type HttpBody,
  type HttpCookies,
  type HttpHooks,
  type HttpRequest,
  type HttpResponse,
  type JwtAlgorithm,
  type Libraries,
  type MachineFacts,
  type MaybeLine,
  type Network,
  type OutputPiece,
  type Processes,
  type ProcessOptions,
  type ProcessResult,
  type RunningProgram,
  type Sensors,
  type StandardStream,
} from "./ports.ts";
export { machineOfProgram, machineOfRuntime } from "./program-machine.ts";
export type {
  AcceptedSocket,
  ListenAddress,
  SocketAdmission,
  SocketAsking,
  SocketLimits,
  SocketLink,
  SocketMessage,
  SocketRequest,
  SocketServer,
  Sockets,
} from "./socket-port.ts";

/** Child processes for work that must not take others with it: for long-running commands only. */
export const loadChildPool = () => import("./child-pool.ts");
export { egressCheck, egressPolicy, enterEgressScope, privateCheck, watchEgress } from "./egress/state.ts";
export { addEffectCheck, addJudge, checkEffect, type EffectCheck } from "./guard/effect-guard.ts";
export { effectOwner } from "./guard/effect-owner.ts";
