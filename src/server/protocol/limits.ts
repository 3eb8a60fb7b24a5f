/** Limits of the server (docs/serve.md), stated once for the server that holds them and the page that names them. */
import { messageLimits } from "../../durable/limits.ts";
import { eventLimits } from "../../events/wire/index.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  ...messageLimits,
  ...eventLimits,
  /** Bytes. */
  requestHeaders: 16 * KiB,
  jsonBody: 2 * MiB,
  upload: 25 * MiB,
  attachments: 100,
  /** Milliseconds. */
  headerTime: 10_000,
  bodyTime: 30_000,
  keepAlive: 65_000,
  jsonDepth: 64,

  conversationsOfPrincipal: 10_000,
  streamsOfPrincipal: 32,
  streamsOfServer: 500,
  topicsOfStream: 100,
  requestsPerSecond: 50,
  requestBurst: 200,

  /** How long the log of a run stays that somebody looked at; it can be made again. Milliseconds. */
  lookedAtLogs: 30 * 24 * 3_600_000,

  /** Characters. */
  query: 200,
  title: 200,
  configKeys: 64,
  configBytes: 64 * KiB,

  listPage: { default: 50, max: 200 },
  eventPage: { default: 500, max: 1_000 },
  filesListed: 10_000,
  diffBytes: MiB,
  diffLines: 20_000,

  /** Between two heartbeats; a client that hears nothing for `silence` opens its stream anew. Milliseconds. */
  ping: 10_000,
  silence: 25_000,
  /** Bytes unsent from which on a stream stops reading the log; a socket that takes nothing for so long is closed. */
  unsent: 256 * KiB,
  stuckSocket: 30_000,
  /** Markdown beyond these is shown as plain text. Bytes, levels. */
  markdownBytes: 256 * KiB,
  markdownDepth: 32,
} as const;
