/** An answer that arrives: plain text, Markdown once it has been quiet for a moment. */
import { useEffect, useState } from "preact/hooks";
import type { LiveText } from "../../src/server/protocol/index.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { Icon } from "../parts/icon.tsx";
import { oneLine, Safe } from "../parts/text.tsx";

/** Milliseconds without a new piece. */
const quiet = 200;

export function LiveRow({ live }: { readonly live: LiveText | undefined }) {
  const text = live?.text ?? "";
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), quiet);
    return () => clearTimeout(timer);
  }, [text]);
  if (live === undefined) return null;
  return (
    <div class="live">
      {live.thought === "" || text !== "" ? null : (
        <p class="soft">
          <Icon name="thought" /> <Safe text={oneLine(live.thought.slice(-300), 200)} />
        </p>
      )}
      {settled === text && text !== "" ? (
        <Markdown text={text} />
      ) : (
        <p class="as-it-comes">
          <Safe text={text} />
          <span class="caret" aria-hidden="true" />
        </p>
      )}
    </div>
  );
}
