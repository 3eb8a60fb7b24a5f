/** References of a paper: what they are, and whether anybody has verified them. */
import { useSignal } from "@preact/signals";
import type { PaperRecord, ReferenceRecord } from "../../src/server/protocol/index.ts";
import { client, once } from "../net/api.ts";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { Safe } from "../parts/text.tsx";
import { mayWrite } from "../session.ts";

export function References({
  paper,
  onChanged,
}: {
  readonly paper: PaperRecord;
  readonly onChanged: () => void;
}) {
  const bibtex = useSignal("");
  const failure = useSignal<unknown>(null);
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
          <li key={reference.key} class="reference-row">
            <span class={`status tone-${reference.verified ? "good" : "warn"}`}>
              <Icon name={reference.verified ? "ok" : "warning"} />
              <span>{reference.verified ? "verified" : "not verified"}</span>
            </span>{" "}
            <code>{reference.key}</code> <Safe text={inWords(reference)} />
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

/** `Doe and Roe: Title. 2020.` */
function inWords({ item }: ReferenceRecord): string {
  const authors = Array.isArray(item.author)
    ? (item.author as readonly { family?: string; literal?: string }[])
    : [];
  const names = authors.slice(0, 3).map((one) => one.family ?? one.literal ?? "");
  const year = (item.issued as { "date-parts"?: readonly (readonly unknown[])[] } | undefined)?.[
    "date-parts"
  ]?.[0]?.[0];
  return [
    names.length === 0 ? "" : `${names.join(", ")}${authors.length > 3 ? " and others" : ""}: `,
    typeof item.title === "string" ? `${item.title}.` : "",
    typeof item["container-title"] === "string" ? ` ${item["container-title"]}.` : "",
    year === undefined ? "" : ` ${String(year)}.`,
  ].join("");
}
