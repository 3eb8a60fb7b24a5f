/** Effects whose journal begins with the run, whether or not there will be effects: a recording that was asked for. */
import type { CoreOptions } from "./core.ts";
import { JournalledEffects } from "./journalled.ts";
import { Recorder, type RecorderOptions, type RunInfo } from "./recorder.ts";

export interface RecordingOptions extends CoreOptions, RecorderOptions {
  readonly run: RunInfo;
  readonly now?: () => number;
}

export class RecordingEffects extends JournalledEffects {
  constructor(options: RecordingOptions) {
    super({ ...options, open: () => new Recorder(options) });
    this.journal.begin(options.run, this.seed);
  }

  /** Keeps the text of a script or module, so that a replay needs no file. */
  source(name: string, text: string): void {
    this.journal.source(name, text);
  }

  /** Notes which source an import meant. */
  module(from: string, specifier: string, name: string): void {
    this.journal.module(from, specifier, name);
  }
}
