/**
 * Every area of builtins. The bundled command line loads this file, and what only it imports, when a program first names
 * a builtin that is not among the everyday ones (`everyday.ts`).
 */
import type { BuiltinSpec } from "../table/index.ts";
import { agentHooks } from "./agent-hooks.ts";
import { agentLoopBuiltins } from "./agent-loop.ts";
import { agentPrimitives } from "./agent-primitives.ts";
import { agentPrompts } from "./agent-prompts.ts";
import { agentSpecs } from "./agent-spec.ts";
import { artifacts } from "./artifacts.ts";
import { assertions } from "./assertions.ts";
import { bytes } from "./bytes.ts";
import { checkpoints } from "./checkpoints.ts";
import { circuits } from "./circuits.ts";
import { clock } from "./clock.ts";
import { collections } from "./collections.ts";
import { commandLlmRisk } from "./command-llm-risk.ts";
import { commandPolicies } from "./command-policy.ts";
import { compression } from "./compression.ts";
import { concurrency } from "./concurrency.ts";
import { conversion } from "./conversion.ts";
import { cookies } from "./cookies.ts";
import { csv } from "./csv.ts";
import { daemonBuiltins } from "./daemons.ts";
import { dates } from "./dates.ts";
import { displayWidths } from "./display-width.ts";
import { egress } from "./egress.ts";
import { encodings } from "./encodings.ts";
import { environment } from "./environment.ts";
import { evalMetrics } from "./eval-metrics.ts";
import { evalPacks } from "./eval-packs.ts";
import { eventLog } from "./event-log/index.ts";
import { fileStreams } from "./file-streams.ts";
import { files } from "./files.ts";
import { flowVerdicts } from "./flow-verdicts.ts";
import { friction } from "./friction.ts";
import { handoffs } from "./handoffs.ts";
import { hitl } from "./hitl/index.ts";
import { hostCalls } from "./host-calls.ts";
import { http } from "./http.ts";
import { httpMessages } from "./http-messages.ts";
import { httpServerTls } from "./http-server-tls.ts";
import { httpServers } from "./http-servers.ts";
import { httpStreams } from "./http-streams.ts";
import { jq } from "./jq.ts";
import { json } from "./json.ts";
import { junit } from "./junit.ts";
import { lineDiffs } from "./line-diff.ts";
import { llm } from "./llm.ts";
import { math } from "./math.ts";
import { mcp } from "./mcp.ts";
import { mcpServing } from "./mcp-serving.ts";
import { metadata } from "./metadata.ts";
import { monitors } from "./monitors.ts";
import { multipart } from "./multipart.ts";
import { observability } from "./observability.ts";
import { output } from "./output.ts";
import { paths } from "./paths.ts";
import { postgres } from "./postgres/index.ts";
import { processes } from "./processes.ts";
import { projects } from "./projects.ts";
import { random } from "./random.ts";
import { regex } from "./regex.ts";
import { results } from "./results.ts";
import { runRecords } from "./run-records.ts";
import { runningCommands } from "./running-commands.ts";
import { runtimeContext } from "./runtime-context.ts";
import { schemas } from "./schemas.ts";
import { secretScan } from "./secret-scan.ts";
import { secrets } from "./secrets.ts";
import { sessionRuns } from "./session-runs.ts";
import { sessions } from "./sessions.ts";
import { sharedStateBuiltins } from "./shared-state.ts";
import { signals } from "./signals.ts";
import { signatures } from "./signatures.ts";
import { skills } from "./skills.ts";
import { sourceEdits } from "./source-edits/index.ts";
import { sqliteCaches } from "./sqlite-cache.ts";
import { sse } from "./sse.ts";
import { store } from "./store.ts";
import { strings } from "./strings.ts";
import { subAgents } from "./sub-agents.ts";
import { supervisors } from "./supervisors.ts";
import { syncPermits } from "./sync-permits.ts";
import { templates } from "./templates.ts";
import { terminal } from "./terminal.ts";
import { textRanking } from "./text-ranking.ts";
import { toml } from "./toml.ts";
import { toolSurface } from "./tool-surface.ts";
import { toolSynthesis } from "./tool-synthesis.ts";
import { tools } from "./tools.ts";
import { tracing } from "./tracing.ts";
import { transcriptCompaction } from "./transcript-compaction.ts";
import { transcriptReminders } from "./transcript-reminders.ts";
import { transcripts } from "./transcripts.ts";
import { triggers } from "./triggers/index.ts";
import { urls } from "./urls.ts";
import { waitpoints } from "./waitpoints/index.ts";
import { websockets } from "./websockets.ts";
import { workerBuiltins } from "./workers.ts";
import { workflowMailbox } from "./workflow-mailbox/index.ts";
import { workflows } from "./workflows.ts";
import { xml } from "./xml.ts";
import { yaml } from "./yaml.ts";

/** All areas, in the order of the reference page. */
export const areas: readonly (readonly BuiltinSpec[])[] = [
  output,
  terminal,
  assertions,
  conversion,
  results,
  strings,
  textRanking,
  lineDiffs,
  displayWidths,
  regex,
  math,
  random,
  clock,
  dates,
  collections,
  json,
  jq,
  csv,
  yaml,
  toml,
  xml,
  schemas,
  bytes,
  encodings,
  signatures,
  compression,
  urls,
  files,
  sourceEdits,
  fileStreams,
  flowVerdicts,
  paths,
  environment,
  postgres,
  processes,
  runningCommands,
  hostCalls,
  commandPolicies,
  commandLlmRisk,
  http,
  httpStreams,
  egress,
  multipart,
  cookies,
  httpMessages,
  httpServers,
  httpServerTls,
  sse,
  websockets,
  store,
  sqliteCaches,
  checkpoints,
  tracing,
  eventLog,
  hitl,
  triggers,
  waitpoints,
  monitors,
  observability,
  secrets,
  secretScan,
  junit,
  evalMetrics,
  friction,
  metadata,
  projects,
  concurrency,
  syncPermits,
  runtimeContext,
  signals,
  circuits,
  sharedStateBuiltins,
  supervisors,
  templates,
  tools,
  toolSurface,
  toolSynthesis,
  skills,
  evalPacks,
  llm,
  mcp,
  mcpServing,
  transcripts,
  transcriptCompaction,
  transcriptReminders,
  agentLoopBuiltins,
  sessions,
  sessionRuns,
  agentPrompts,
  agentHooks,
  subAgents,
  workerBuiltins,
  daemonBuiltins,
  agentSpecs,
  agentPrimitives,
  artifacts,
  handoffs,
  workflows,
  workflowMailbox,
  runRecords,
];
