/** What a loop that was persisted has from the loops before it. */
import type { Dict } from "../../values/index.ts";

/** What a loop has from those that it goes on from. */
export interface Earlier {
  readonly text: string;
  readonly tools: readonly string[];
  readonly rejected: readonly string[];
  readonly iterations: number;
  /** Transcript events that are no messages. */
  readonly events: readonly Dict[];
}

export const nothingEarlier: Earlier = { text: "", tools: [], rejected: [], iterations: 0, events: [] };
