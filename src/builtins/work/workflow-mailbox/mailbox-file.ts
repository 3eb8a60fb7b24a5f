/**
 * The mailbox of a workflow, changed by every program of the project through the ledger, and its file `workflows/ID/state.json`
 * in the state folder, which shows it and from which it is read.
 */

import { type EmbeddedLedger, type OperateOptions, workflowMailboxes } from "../../../durable/index.ts";
import { shape } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { at, refusal } from "../../../table/index.ts";
import {
  type Argument,
  Dict,
  encodeValue,
  jsonParse,
  jsonStringify,
  type Value,
} from "../../../values/index.ts";
import { joinPaths } from "../../files/path-text.ts";
import { readStateDict, stateFile } from "../../files/state-files.ts";
import { changeShown, type ShownState } from "../../state/shown-state.ts";
import { type PayloadTexts, stateDict, stateFrom } from "./state.ts";

/** Which workflow is meant, and who asks. */
export interface MailboxAddress {
  readonly caller: string;
  readonly workflow: string;
}

/** A mailbox where it lies. Only effects know: a replay has no folders. */
interface MailboxPlace extends MailboxAddress {
  readonly folder: string;
}

const placeOf = (task: Task, box: MailboxAddress): MailboxPlace => ({
  ...box,
  folder: stateFile(task, "workflows", fileName(box.workflow)),
});

/** The workflow that is meant: its id, or something that says it. */
export function mailboxOf(caller: string, target: Argument): MailboxAddress {
  const workflow = idOf(target);
  if (workflow === undefined)
    throw refusal(at(caller, "target"), "a workflow id, {workflow_id}, a graph or a run", target);
  return { caller, workflow };
}

function idOf(target: Argument): string | undefined {
  if (typeof target === "string") return target === "" ? undefined : target;
  if (!(target instanceof Dict)) return undefined;
  const run = target.get("run");
  const own = target.get("_type") === "workflow_graph" ? target.get("id") : target.get("workflow_id");
  return own === undefined && run instanceof Dict ? idOf(run) : idOf(own === target ? undefined : own);
}

/** An id may hold anything; a folder's name may not. */
const fileName = (id: string): string =>
  id.replace(/[^A-Za-z0-9._-]|^\.+/gu, (part) => encodeURIComponent(part).replaceAll(".", "%2E"));

const pathOf = ({ folder }: MailboxPlace): string => joinPaths([folder, "state.json"]);

export function textsOf({ runtime: { secrets } }: Task): PayloadTexts {
  return {
    text: (value) => secrets.hide(jsonStringify(value)),
    value: (text) => jsonParse(secrets.revealInJson(text)),
  };
}

/** Looks at the state, as an effect. */
export async function lookInMailbox(
  task: Task,
  address: MailboxAddress,
  about: Value,
  see: (state: Dict, folder: string) => Value,
): Promise<Value> {
  return await task.perform<Value>({
    effect: "read",
    kind: address.caller,
    args: () => encodeValue(about),
    run: () => {
      const place = placeOf(task, address);
      return see(readStateDict(task, place.caller, pathOf(place)), place.folder);
    },
    result: shape.value(),
  });
}

/**
 * Changes the state, as one effect that may be repeated: `operate` is to hand the options on to the one operation that it
 * does, so that a repetition gets what that gave the first time.
 */
export async function change<T>(
  task: Task,
  address: MailboxAddress,
  about: Value,
  operate: (ledger: EmbeddedLedger, once: OperateOptions) => T,
  see: (result: T, folder: string) => Value,
): Promise<Value> {
  const once = { key: `workflow/${newId(task)}` };
  return await task.perform<Value>({
    effect: "write",
    kind: address.caller,
    inDoubt: "repeat",
    args: () => encodeValue(about),
    run: () => {
      const place = placeOf(task, address);
      const shown = shownState(task, place);
      return see(
        changeShown(task, [shown], (ledger) => operate(ledger, once)),
        place.folder,
      );
    },
    result: shape.value(),
  });
}

function shownState(task: Task, place: MailboxPlace): ShownState {
  const { workflow } = place;
  const texts = textsOf(task);
  return {
    what: place.caller,
    path: pathOf(place),
    render: (ledger) => stateDict(workflow, ledger.operateSync(workflowMailboxes.whole, { workflow }), texts),
    adopt: (ledger, dict) =>
      ledger.operateSync(workflowMailboxes.replace, { workflow, state: stateFrom(dict, texts) }),
  };
}
