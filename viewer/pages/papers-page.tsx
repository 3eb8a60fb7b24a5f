/** `/papers` and `/p/ID`. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { PaperSummary } from "../../src/server/protocol/index.ts";
import { client } from "../net/api.ts";
import { follow } from "../net/live.ts";
import { PaperView } from "../paper/paper-view.tsx";
import { Failure } from "../parts/failure.tsx";
import { Icon } from "../parts/icon.tsx";
import { Safe } from "../parts/text.tsx";
import { age, count } from "../text/format.ts";

export function PapersPage() {
  const list = useSignal<readonly PaperSummary[] | null>(null);
  const failure = useSignal<unknown>(null);
  useEffect(() => {
    document.title = "Papers · Harn";
    const load = (): void => {
      client.papers().then(
        (page) => {
          list.value = page.items;
        },
        (error: unknown) => {
          failure.value = error;
        },
      );
    };
    load();
    return follow("papers", { onEvent: load, opened: load });
  }, [list, failure]);
  return (
    <main class="page settings">
      <h1>Papers</h1>
      {failure.value === null ? null : <Failure error={failure.value} />}
      {list.value === null ? null : list.value.length === 0 ? (
        <p class="empty">No paper yet. An agent begins one, or `harn paper import` does.</p>
      ) : (
        <ul class="plain-list">
          {list.value.map((paper) => (
            <li key={paper.id}>
              <a class="list-row" href={`/p/${encodeURIComponent(paper.id)}`}>
                <span class="list-title">
                  <Icon name="paper" /> <Safe text={paper.title} />
                </span>
                <span class="list-facts">
                  <span>{paper.state}</span>
                  <span>{count(paper.version, "version")}</span>
                  <span>{age(paper.changed)}</span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}

export function PaperPage({ id }: { readonly id: string }) {
  const version = useSignal(0);
  useEffect(
    () =>
      follow("papers", {
        onEvent: () => {
          version.value += 1;
        },
        opened: () => {
          version.value += 1;
        },
      }),
    [version],
  );
  return (
    <main class="page log-page">
      <PaperView id={id} changed={version.value} heading />
    </main>
  );
}
