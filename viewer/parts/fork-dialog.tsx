/** A new conversation that goes like this one up to an event, then lives. */
import { useSignal } from "@preact/signals";
import type { LogStore } from "../log/log-store.ts";
import { client, once } from "../net/api.ts";
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
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const submit = async (submitted: Event): Promise<void> => {
    submitted.preventDefault();
    busy.value = true;
    failure.value = null;
    try {
      const place = { event: seq, ...(title.value.trim() === "" ? {} : { title: title.value }) };
      const made = await client.fork(log.source.id, place, once());
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
          conversation stays as it is; both work in the same folder.
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
