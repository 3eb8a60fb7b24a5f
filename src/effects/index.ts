/** The effects port and the journal's logic: record, replay. No Node imports here. */
export type { EffectCall, EffectMode, Effects, EffectScope, Json } from "./port.ts";
