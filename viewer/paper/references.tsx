/** References of a paper: what they are, and whether anybody has verified them. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PaperRecord } from "../../src/server/protocol/index.ts";
import { soundItem } from "../../src/writing/text/csl-item.ts";
import type { CslItem } from "../../src/writing/text/paper.ts";
import { referenceLine } from "../../src/writing/text/references-text.ts";
import { client, once } from "../net/api.ts";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { Safe } from "../parts/text.tsx";
import { mayWrite } from "../session.ts";

export function References({
  paper,
  shown,
  onShown,
  onChanged,
}: {
  readonly paper: PaperRecord;
  /** Key of the reference that somebody wants to see: it gets the focus. */
  readonly shown: string | null;
  readonly onShown: () => void;
  readonly onChanged: () => void;
}) {
  const bibtex = useSignal("");
  const failure = useSignal<unknown>(null);
  const wanted = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (shown === null) return;
    wanted.current?.focus();
    onShown();
  }, [shown]);
  const add = async (): Promise<void> => {
    failure.value = null;
    try {
      await client.importReferences(paper.id, bibtex.value, once());
      bibtex.value = "";
      onChanged();
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <div class="sheet">
      {paper.references.length === 0 ? <p class="empty">No reference yet.</p> : null}
      <ul class="plain-list">
        {paper.references.map((reference) => (
          <li
            key={reference.key}
            class="reference-row"
            tabIndex={-1}
            ref={reference.key === shown ? wanted : null}
          >
            <span class={`status tone-${reference.verified ? "good" : "warn"}`}>
              <Icon name={reference.verified ? "ok" : "warning"} />
              <span>{reference.verified ? "verified" : "not verified"}</span>
            </span>{" "}
            <code>
              <Safe text={reference.key} />
            </code>{" "}
            <Safe text={referenceLine(soundItem(reference.item as CslItem)).text} />
          </li>
        ))}
      </ul>
      {mayWrite.value ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void add();
          }}
        >
          <label class="field">
            Import BibTeX
            <textarea
              class="code"
              rows={3}
              value={bibtex.value}
              onInput={(event) => (bibtex.value = event.currentTarget.value)}
            />
          </label>
          {failure.value === null ? null : <Failure error={failure.value} />}
          <div class="buttons">
            <button type="submit" disabled={bibtex.value.trim() === ""}>
              Import
            </button>
          </div>
        </form>
      ) : null}
    </div>
  );
}
