/**
 * What the control plane knows of a session, as transcripts, snapshots and records of durable sessions keep it: `work_items`,
 * `contract`, `coverage`, `compaction_plan`, `interventions`. Sessions that no part of it ever worked on have none of them.
 */
import type { Conversation } from "../../model/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { contractRecord, coverageValue } from "./contract-record.ts";
import { interventionFields } from "./interventions.ts";
import { ledgerRecord } from "./ledger.ts";
import { planRecord } from "./plan-record.ts";

/** What goes on where the conversation does not: ledger, contract and coverage. */
export function workRecord({ workItems, contract }: Conversation): Record<string, Value | undefined> {
  return {
    work_items: workItems === null ? undefined : ledgerRecord(workItems),
    contract: contract === null ? undefined : contractRecord(contract),
    coverage: contract === null ? undefined : coverageValue(contract),
  };
}

export function controlRecord(conversation: Conversation): Record<string, Value | undefined> {
  const { controlled, interventions } = conversation;
  const made = controlled ? interventions.list() : [];
  return {
    ...workRecord(conversation),
    compaction_plan: planRecord(conversation),
    interventions:
      made.length === 0 ? undefined : new List(made.map((one) => Dict.of(interventionFields(one)))),
  };
}
