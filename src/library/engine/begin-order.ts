/** A run is begun, gone on with, forked or played again: by the functions of the command line, with its flags. */
import { fileURLToPath } from "node:url";
import type { Json } from "../../effects/index.ts";
import {
  missingRun,
  ownStateFolder,
  ProcessConsole,
  runWholeNamed,
  UsageError,
} from "../../host/command/index.ts";
import { hermeticSeed } from "../../host/index.ts";
import { parseFixtures } from "../../model/index.ts";
import { type ProgramText, readProgram } from "../../program/index.ts";
import { beginRecordedRun } from "../../run/begin-run.ts";
import type { FlowFunctions, RunFlags, Surroundings } from "../../run/setup/index.ts";
import { SourceFile } from "../../source/index.ts";
import { existingStore } from "../../store/index.ts";
import { encodeValue, presentFields } from "../../values/index.ts";
import { callsToTry } from "../host-tools.ts";
import type { Order, Settings } from "../orders.ts";
import type { RunOptions, ScriptSource } from "../types.ts";
import { agentProgramCall, lastByName } from "./agent-call.ts";
import { agentProgram } from "./agent-program.ts";
import { valueForRun } from "./flows/flow-errors.ts";
import { flowFunctions, flowInput, flowProgram } from "./flows/index.ts";
import type { HostedOptions, HostedRun } from "./hosted-run.ts";
import { jsonOfJs } from "./js-json.ts";

/** What goes on with recorded runs: a new one is begun without it. */
const loadRecorded = () => import("../../run/index.ts");

export function hostedOptionsOf(order: Order, settings: Settings): HostedOptions {
  const { tools, output, timeout } = order.options as Partial<RunOptions>;
  return {
    run: order.run,
    tools: lastByName([...(settings.tools ?? []), ...(Array.isArray(tools) ? tools : [])]),
    output,
    timeout,
  };
}

export async function beginOrder(hosted: HostedRun, order: Order, settings: Settings): Promise<void> {
  const { run, tools } = hosted;
  const flags: RunFlags = { ...settingsFlags(settings), offers: tools.map(({ name }) => name) };
  const flowsOf = (name: string): FlowFunctions => flowFunctions(settings.flows, { run: name, tools });
  const flows = flowsOf(run);
  const surroundings = hosted.surroundings({ ...settingsModels(settings), flows });
  const begun = settings.bench === undefined ? flags : { ...flags, seed: hermeticSeed };
  const begin = async (
    name: string,
    text: () => ProgramText,
    more: RunFlags,
    args: readonly string[] = [],
  ) => {
    hosted.begins("run.start", name);
    await beginRecordedRun(text(), args, { ...begun, ...more, runName: run }, surroundings);
  };
  const given = (value: unknown, what: string): RunFlags => ({
    params: encodeValue(valueForRun(value, what, run)) as Json,
  });
  switch (order.kind) {
    case "script": {
      const { source } = order;
      const { input, args } = order.options;
      const more = input === undefined ? {} : given(input, "the input");
      await begin(sourceName(source), () => programText(source), more, args);
      return;
    }
    case "agent": {
      const { prompt, output } = order.options;
      const call = agentProgramCall({ caller: "h.agent", prompt, output, loop: order.loop, tools });
      await begin(agentProgram.source.name, () => agentProgram, given(call, "the options of h.agent"));
      return;
    }
    case "flow": {
      const { flow, input } = order;
      const program = flowProgram(flow);
      const more = { ...given({ [flowInput]: input ?? null }, "the input"), flow };
      await begin(program.source.name, () => program, more);
      return;
    }
    case "resume": {
      const { script } = order.options;
      hosted.begins("run.resumed", order.run);
      const { resumeCommand } = await loadRecorded();
      await resumeCommand(order.run, script, [], flags, surroundings);
      return;
    }
    case "fork": {
      await beginFork(hosted, order, flags, surroundings);
      return;
    }
    case "replay":
      await playAgain(hosted, order, settings, flowsOf);
  }
}

type OrderOf<K extends Order["kind"]> = Extract<Order, { readonly kind: K }>;

async function beginFork(
  hosted: HostedRun,
  { run, from, options }: OrderOf<"fork">,
  flags: RunFlags,
  surroundings: Surroundings,
): Promise<void> {
  const { forkOfRun, resumeRun } = await loadRecorded();
  const store = existingStore(ownStateFolder());
  if (store === undefined) throw missingRun(from);
  try {
    const { at, result, model, provider, script } = options;
    const other = presentFields({ model, provider, script, onDoubt: flags.onDoubt });
    const json = result === undefined ? {} : { result: JSON.stringify(jsonOfJs(result)) };
    const fork = forkOfRun(store, runWholeNamed(store, from), { at: String(at), ...other, ...json });
    hosted.begins("run.start", from);
    await resumeRun({ ...fork, flags: { ...flags, ...fork.flags }, newName: run, surroundings });
  } finally {
    store.close();
  }
}

async function playAgain(
  hosted: HostedRun,
  { run, options }: OrderOf<"replay">,
  settings: Settings,
  flows: (run: string) => FlowFunctions,
): Promise<void> {
  const { recordedReplay } = await loadRecorded();
  const console = new ProcessConsole();
  const replay = await recordedReplay(run, {
    ...(options.script === undefined ? {} : { script: options.script }),
    ...(options.tools === "live" ? { tries: triesOf(run, settings) } : {}),
    named: runWholeNamed,
    console,
    wirings: [hosted.events.wiring],
    interrupts: hosted.interrupts,
    diagnosed: hosted.diagnosed,
    flows,
  });
  if (replay === undefined) return;
  hosted.began(replay.runtime, undefined, replay.journal.header.run);
  hosted.begins("run.start", replay.journal.header.entry);
  const ended = await replay.play();
  console.flush();
  hosted.noteEnd(ended, replay.runtime);
}

function triesOf(run: string, { tools = [], log }: Settings): ReturnType<typeof callsToTry> {
  if (tools.length === 0)
    throw new UsageError(
      'h.replay: `tools: "live"` calls the tools of `harn({tools})`, and it has none',
      "HARN-LIB-001",
    );
  return callsToTry(tools, (name) => {
    const text = `${name} is not among the tools: what it gave is taken from the record`;
    log?.({ level: "warning", text, run });
  });
}

function programText(source: ScriptSource): ProgramText {
  if (typeof source === "string") return readProgram(source, undefined);
  if (source instanceof URL) return readProgram(fileURLToPath(source), undefined);
  return { source: new SourceFile(source.name ?? "script.harn", source.text), path: undefined };
}

const sourceName = (source: ScriptSource): string =>
  typeof source === "string" ? source : source instanceof URL ? source.href : (source.name ?? "script.harn");

function settingsFlags(settings: Settings): RunFlags {
  const { store, provider, model, baseUrl, tape, mock, allow, deny, onDoubt } = settings;
  return {
    quiet: true,
    ...(store === false ? { record: false } : {}),
    ...presentFields({
      provider,
      model,
      baseUrl,
      tape,
      llmMock: typeof mock === "string" ? mock : undefined,
      allow: allow?.join(","),
      deny: deny?.join(","),
      onDoubt,
    }),
  } as RunFlags;
}

function settingsModels({ mock }: Settings): Pick<Surroundings, "models"> {
  if (mock === undefined || typeof mock === "string") return {};
  const lines = mock.map((answer) => JSON.stringify(answer)).join("\n");
  return { models: { fixtures: parseFixtures(lines, "mock", refuseSource) } };
}

/** What a file is warned of would be dropped from a list, too. */
function refuseSource(_warning: string, refusal: string): never {
  throw new UsageError(refusal, "HARN-LIB-001");
}
