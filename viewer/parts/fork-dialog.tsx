/** A new conversation that goes like this one up to an event, then lives. */
import { useSignal } from "@preact/signals";
import type { Json } from "../../src/server/protocol/index.ts";
import type { LogStore } from "../log/log-store.ts";
import { ask, newKey } from "../net/api.ts";
import { go } from "../router.ts";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

export function ForkDialog({
  log,
  seq,
  onClose,
}: {
  readonly log: LogStore;
  readonly seq: number;
  readonly onClose: () => void;
}) {
  const title = useSignal(`${log.headView.title ?? log.source.id} (fork)`);
  const model = useSignal("");
  const result = useSignal("");
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const event = log.eventAt(seq);
  const isCall = event?.type === "tool.end";
  const submit = async (submitted: Event): Promise<void> => {
    submitted.preventDefault();
    busy.value = true;
    failure.value = null;
    const body: Record<string, Json> = { event: seq, title: title.value };
    if (model.value.trim() !== "") body.model = model.value.trim();
    if (result.value !== "") body.result = result.value;
    try {
      const made = await ask<{ id: string }>(`${log.source.base}/forks`, {
        method: "POST",
        body,
        key: newKey(),
      });
      onClose();
      go(`/c/${encodeURIComponent(made.id)}`);
    } catch (error) {
      failure.value = error;
      busy.value = false;
    }
  };
  return (
    <Dialog title="Fork from here" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="soft">
          Everything up to event {seq} stays as it was and is not paid again; what comes then is new. This
          conversation stays as it is.
        </p>
        <label class="field">
          Title
          <input
            type="text"
            maxLength={200}
            value={title.value}
            onInput={(input) => (title.value = input.currentTarget.value)}
          />
        </label>
        <label class="field">
          Another model (optional)
          <input
            type="text"
            value={model.value}
            placeholder={Object.values(log.headView.loops)[0]?.model ?? ""}
            onInput={(input) => (model.value = input.currentTarget.value)}
          />
        </label>
        {isCall ? (
          <label class="field">
            Another result of <code>{event.data.name}</code> (optional)
            <textarea
              class="code"
              rows={3}
              value={result.value}
              onInput={(input) => (result.value = input.currentTarget.value)}
            />
          </label>
        ) : null}
        {failure.value === null ? null : <Failure error={failure.value} />}
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy.value}>
            Fork
          </button>
        </div>
      </form>
    </Dialog>
  );
}
