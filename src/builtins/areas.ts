/**
 * Every area of builtins. The bundled command line loads this file, and what only it imports, when a program first names
 * a builtin that is not among the everyday ones (`index.ts`).
 */
import type { BuiltinSpec } from "../table/index.ts";
import { agentHooks } from "./agents/agent-hooks.ts";
import { agentLoopBuiltins, agentSpecs } from "./agents/agent-loop.ts";
import { agentPrimitives, agentPrompts, conversationBuiltins } from "./agents/agent-primitives.ts";
import { artifacts, handoffs } from "./agents/artifacts/artifacts.ts";
import { control } from "./agents/control.ts";
import { agentModeBuiltins } from "./agents/modes.ts";
import { sessionRuns } from "./agents/session-runs.ts";
import { sessions } from "./agents/sessions.ts";
import { skills } from "./agents/skills.ts";
import { toolSurface, toolSynthesis } from "./agents/tool-synthesis.ts";
import { tools } from "./agents/tools.ts";
import { transcriptCompaction } from "./agents/transcript-compaction.ts";
import { transcriptReminders } from "./agents/transcript-reminders.ts";
import { transcripts } from "./agents/transcripts.ts";
import { assertions } from "./assertions.ts";
import { circuits } from "./concurrency/circuits.ts";
import { concurrency } from "./concurrency/concurrency.ts";
import { sharedStateBuiltins } from "./concurrency/shared-state.ts";
import { supervisors } from "./concurrency/supervisors.ts";
import { syncPermits } from "./concurrency/sync-permits.ts";
import { waitpoints } from "./concurrency/waitpoints/index.ts";
import { bytes } from "./data/bytes.ts";
import { collections } from "./data/collections.ts";
import { conversion } from "./data/conversion.ts";
import { jq } from "./data/jq.ts";
import { json } from "./data/json.ts";
import { math } from "./data/math.ts";
import { random } from "./data/random.ts";
import { results } from "./data/results.ts";
import { checkedOptions, schemas } from "./data/schemas.ts";
import { evalRoles, evalUsers } from "./evals/roles.ts";
import { evalSets } from "./evals/sets.ts";
import { statistics } from "./evals/statistics.ts";
import { evalScorers, evalTasks } from "./evals/tasks.ts";
import { worlds } from "./evals/worlds.ts";
import { eventLog } from "./events/event-log/index.ts";
import { monitors } from "./events/monitors.ts";
import { triggers } from "./events/triggers/index.ts";
import { fileStreams } from "./files/file-streams.ts";
import { files } from "./files/files.ts";
import { paths } from "./files/paths.ts";
import { projects } from "./files/projects.ts";
import { sourceEdits } from "./files/source-edits/index.ts";
import { compression } from "./formats/compression.ts";
import { csv } from "./formats/csv.ts";
import { encodings } from "./formats/encodings.ts";
import { signatures } from "./formats/signatures.ts";
import { toml } from "./formats/toml.ts";
import { xml } from "./formats/xml.ts";
import { yaml } from "./formats/yaml.ts";
import { hostCalls } from "./host-calls.ts";
import { cookies } from "./http/cookies.ts";
import { egress, http } from "./http/http.ts";
import { httpMessages } from "./http/http-messages.ts";
import { httpStreams } from "./http/http-streams.ts";
import { multipart } from "./http/multipart.ts";
import { httpServerTls } from "./http/servers/http-server-tls.ts";
import { httpServers } from "./http/servers/http-servers.ts";
import { mcp } from "./mcp/mcp.ts";
import { mcpServing } from "./mcp/mcp-serving.ts";
import { llm } from "./models/llm.ts";
import { evalMetrics, evalPacks } from "./observe/eval-packs.ts";
import { flowVerdicts } from "./observe/flow-verdicts.ts";
import { friction } from "./observe/friction.ts";
import { junit } from "./observe/junit.ts";
import { observability } from "./observe/observability.ts";
import { runRecords } from "./observe/run-records.ts";
import { tracing } from "./observe/tracing.ts";
import { library } from "./papers/library.ts";
import { papers } from "./papers/papers.ts";
import { hitl } from "./people/index.ts";
import { commandLlmRisk } from "./process/command-llm-risk.ts";
import { commandPolicies } from "./process/command-policy.ts";
import { environment } from "./process/environment.ts";
import { output } from "./process/output.ts";
import { processes } from "./process/processes.ts";
import { runningCommands } from "./process/running-commands.ts";
import { signals, terminal } from "./process/terminal.ts";
import { runtimeContext } from "./runtime-context.ts";
import { secretScan } from "./secrets/secret-scan.ts";
import { secrets } from "./secrets/secrets.ts";
import { sse } from "./sockets/sse.ts";
import { websockets } from "./sockets/websockets.ts";
import { checkpoints } from "./state/checkpoints.ts";
import { metadata } from "./state/metadata.ts";
import { postgres } from "./state/postgres/index.ts";
import { sqliteCaches } from "./state/sqlite-cache.ts";
import { store } from "./state/store.ts";
import { displayWidths } from "./text/display-width.ts";
import { lineDiffs, textRanking } from "./text/line-diff.ts";
import { regex } from "./text/regex.ts";
import { strings } from "./text/strings.ts";
import { templates } from "./text/templates.ts";
import { urls } from "./text/urls.ts";
import { clock } from "./time/clock.ts";
import { dates } from "./time/dates.ts";
import { daemonBuiltins, subAgents, workerBuiltins } from "./work/workers.ts";
import { workflowMailbox } from "./work/workflow-mailbox/index.ts";
import { workflows } from "./work/workflows.ts";

/** All areas, in the order of the reference page. */
export const areas: readonly (readonly BuiltinSpec[])[] = [
  output,
  terminal,
  assertions,
  conversion,
  results,
  checkedOptions,
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
  statistics,
  evalTasks,
  evalSets,
  evalScorers,
  worlds,
  evalRoles,
  evalUsers,
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
  control,
  conversationBuiltins,
  sessionRuns,
  agentPrompts,
  agentHooks,
  subAgents,
  workerBuiltins,
  daemonBuiltins,
  agentSpecs,
  agentPrimitives,
  agentModeBuiltins,
  artifacts,
  handoffs,
  workflows,
  workflowMailbox,
  runRecords,
  papers,
  library,
];
