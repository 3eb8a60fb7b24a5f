/**
 * Reminders that are made when they are needed (agents.md §4.4): functions of the script or of a module that are asked
 * before every model call of every loop what the model should be told now.
 *
 * What one gives lives for a turn and takes the place of what it gave before, unless it says otherwise. One that throws,
 * or gives something that is no reminder, is reported on standard error; the loop and the other providers go on.
 */

import { callableOnChild, NativeCallable, stateKey, type Task } from "../../interp/index.ts";
import type { Conversation } from "../../model/index.ts";
import { publishNamed, warn } from "../../model/index.ts";
import {
  type Callable,
  Dict,
  display,
  List,
  ScriptError,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { checkedReminder } from "../session/reminder-value.ts";
import { remindSession } from "../session/reminders.ts";
import type { Loop } from "../state/loop-state.ts";
import { callBack, type Turn } from "../state/requests.ts";

/** By name, in the order in which they were registered. */
export const reminderProviders = stateKey<Map<string, Callable>>("agent.reminder providers", () => new Map());

/** Before the context is put together. */
export function* provideReminders(loop: Loop): Turn<void> {
  if (loop.reminderProviders.size === 0) return;
  const { conversation, work, route } = loop;
  const about = Dict.of({
    session_id: conversation.id,
    iteration: work.iteration + 1,
    provider: route.provider,
    model: route.model,
  });
  yield* callBack(
    new NativeCallable("reminder_providers", [], async (task) => {
      for (const [name, provider] of [...loop.reminderProviders])
        await askProvider(task, conversation, { name, provider }, about);
      return null;
    }),
  );
}

interface ReminderProvider {
  readonly name: string;
  readonly provider: Callable;
}

async function askProvider(
  task: Task,
  conversation: Conversation,
  { name, provider }: ReminderProvider,
  about: Dict,
): Promise<void> {
  let count = 0;
  let failure: string | null = null;
  try {
    const output = listed(await outputOf(task, name, provider, about));
    for (const [index, input] of output.entries()) {
      const key = output.length === 1 ? name : `${name}:${index}`;
      await remindSession(
        task,
        conversation,
        providedReminderOf(task, { name, key }, input, conversation.turn),
      );
      count++;
    }
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    failure = display(error.value);
    warn(task, failure);
  }
  const event = Dict.of({ provider: name, reminders: count, ok: failure === null, error: failure });
  await publishNamed(task, conversation.id, "transcript.reminder.provider_evaluated", event);
}

async function outputOf(task: Task, name: string, provider: Callable, about: Dict): Promise<Value> {
  try {
    return await callableOnChild(task, provider, [about]);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const text = `reminder provider '${name}' failed: HARN-RMD-006: ${display(error.value)}`;
    throw new ScriptError("thrown", text, { code: "HARN-RMD-006" });
  }
}

const listed = (input: Value): readonly Value[] =>
  input === null ? [] : input instanceof List ? [...input] : [input];

/** A text is a reminder for the coming turn. */
function providedReminderOf(
  task: Task,
  { name, key }: { readonly name: string; readonly key: string },
  input: Value,
  turn: number,
): Dict {
  const usual = Dict.of({ ttl_turns: 1, dedupe_key: key });
  try {
    const fields = typeof input === "string" ? Dict.of({ body: input }) : input;
    if (!(fields instanceof Dict))
      throw thrown(`expected a text, a reminder or a list of them; got ${typeOf(input)}`);
    return checkedReminder(task, usual.merge(fields), "it", { source: "stdlib_provider", turn });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const text = `reminder provider '${name}' gave no reminder: HARN-RMD-007: ${display(error.value)}`;
    throw new ScriptError("thrown", text, { code: "HARN-RMD-007" });
  }
}
