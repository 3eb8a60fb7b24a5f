/** The Paper tab of a conversation: its projects. */
import { useSignal } from "@preact/signals";
import { type LogStore, useLog } from "../log/log-store.ts";
import { PaperView } from "../paper/paper-view.tsx";

export function PapersOfLog({ log }: { readonly log: LogStore }) {
  useLog(log);
  const ids = Object.keys(log.headView.papers);
  const chosen = useSignal<string | null>(null);
  const id = ids.includes(chosen.value ?? "") ? chosen.value : (ids.at(-1) ?? null);
  if (id === null) return <p class="empty">No paper has been begun in this conversation.</p>;
  if (log.source.kind === "report")
    return <p class="empty">A report has no papers; export them from the conversation.</p>;
  return (
    <div class="paper-tab">
      {ids.length > 1 ? (
        <div class="filters">
          <label>
            Paper{" "}
            <select value={id} onChange={(event) => (chosen.value = event.currentTarget.value)}>
              {ids.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        </div>
      ) : null}
      <PaperView key={id} id={id} changed={log.headView.papers[id] ?? 0} />
    </div>
  );
}
