/** What the command line says about models, handed to a runtime: provider, tape, fixtures, recording. */

import { isTerminal, UsageError } from "../../host/command/index.ts";
import { notifyPerson, type Runtime } from "../../interp/index.ts";
import {
  Catalogue,
  configureModels,
  LlmUsageError,
  loadFixtures,
  loadTape,
  type ModelConfig,
  modelLayers,
  type ObservedModels,
  openRecording,
} from "../../model/index.ts";
import { display, presentFields, ScriptError } from "../../values/index.ts";
import type { RunFlags } from "./run-flags.ts";

/** Between two streamed words of a tape, so that it can be watched; nothing when nobody watches. */
const tapePaceMs = 12;

/** What the host of a run fixes about models besides what flags say. */
export type HostModels = Pick<ModelConfig, "roles" | "wrap" | "fixtures">;

/** `played`: answers of the tape that an earlier part of the run has had. `more`: what the host of the run fixes besides. */
export function wireModels(runtime: Runtime, flags: RunFlags, played = 0, more: HostModels = {}): void {
  const config = modelConfigOf(runtime, flags);
  if (config.tape !== undefined) config.tape.played = played;
  configureModels(runtime, { ...config, ...more });
}

/** The same for many runtimes in one place: files are read once, and what the first run finds configured holds for all. */
export class SharedModels {
  private readonly flags: RunFlags;
  private config: ModelConfig | undefined;
  private readonly observed: ObservedModels = {};

  constructor(flags: RunFlags) {
    this.flags = flags;
  }

  wire(runtime: Runtime, more: HostModels): void {
    this.config ??= modelConfigOf(runtime, this.flags);
    const { tape } = this.config;
    const fresh = tape === undefined ? {} : { tape: { ...tape, played: 0 } };
    configureModels(runtime, { ...this.config, ...fresh, observed: this.observed, ...more });
  }
}

function modelConfigOf(runtime: Runtime, flags: RunFlags): ModelConfig {
  try {
    return wiredModelConfig(runtime, flags);
  } catch (error) {
    if (error instanceof LlmUsageError) throw new UsageError(error.message, "HARN-CLI-010");
    // A configuration file that cannot be read.
    if (error instanceof ScriptError) throw new UsageError(display(error.value), "HARN-CLI-010");
    throw error;
  }
}

function wiredModelConfig(runtime: Runtime, flags: RunFlags): ModelConfig {
  const config: ModelConfig = { layers: [] };
  const warn = (warning: string): void => notifyPerson(runtime, warning);
  if (flags.provider !== undefined) {
    new Catalogue(modelLayers(runtime)).requireProvider(flags.provider);
    config.provider = flags.provider;
  }
  if (flags.model !== undefined) config.model = flags.model;
  if (flags.baseUrl !== undefined) config.baseUrl = flags.baseUrl;
  if (flags.owner !== undefined) config.owner = presentFields(flags.owner);
  if (flags.llmMock !== undefined) config.fixtures = loadFixtures(flags.llmMock, warn);
  if (flags.llmMockRecord !== undefined) config.recording = openRecording(flags.llmMockRecord);
  if (flags.tape !== undefined && !isLive(runtime, flags)) {
    config.tape = loadTape(flags.tape, warn);
    config.tapePaceMs = isTerminal(2) ? tapePaceMs : 0;
    config.provider = "tape";
    config.model = "tape";
  }
  return config;
}

/** A tape stands in for a model only where nothing says which model to ask. */
function isLive(runtime: Runtime, flags: RunFlags): boolean {
  if (flags.provider !== undefined || flags.model !== undefined || flags.baseUrl !== undefined) return true;
  return ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HARN_LLM_PROVIDER", "HARN_LLM_MODEL"].some((name) =>
    Boolean(runtime.host.env.get(name)),
  );
}
