/** Texts of events that are longer than their event: their beginning, and the rest when somebody asks for it. */
import { useSignal } from "@preact/signals";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { type EventText, headOfText, type TextRef } from "../../src/server/protocol/index.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { bytes } from "../text/format.ts";
import { Failure } from "./failure.tsx";
import { Pre } from "./text.tsx";

/** Fetches a long text of the log around, by its name; null in a report, which has what it has. */
export const LongTexts = createContext<((ref: string) => Promise<string>) | null>(null);

/** As code or output. */
export const LongText = ({ text, label }: { readonly text: EventText; readonly label: string }) => (
  <Whole text={text} render={(shown) => <Pre text={shown} label={label} />} />
);

/** As Markdown. */
export const LongMarkdown = ({ text }: { readonly text: EventText }) => (
  <Whole text={text} render={(shown) => <Markdown text={shown} />} />
);

function Whole({
  text,
  render,
}: {
  readonly text: EventText;
  readonly render: (shown: string) => ComponentChildren;
}) {
  if (typeof text === "string") return <>{render(text)}</>;
  return <Fetched key={text.ref} text={text} render={render} />;
}

function Fetched({
  text,
  render,
}: {
  readonly text: TextRef;
  readonly render: (shown: string) => ComponentChildren;
}) {
  const fetchText = useContext(LongTexts);
  const whole = useSignal<string | null>(null);
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const showAll = async (): Promise<void> => {
    if (fetchText === null) return;
    busy.value = true;
    failure.value = null;
    try {
      whole.value = await fetchText(text.ref);
    } catch (error) {
      failure.value = error;
    }
    busy.value = false;
  };
  if (whole.value !== null) return <>{render(whole.value)}</>;
  return (
    <>
      {render(headOfText(text))}
      <p class="soft small whole-text">
        The beginning of {bytes(text.bytes)}
        {fetchText === null ? "; the rest is not in this report." : ". "}
        {fetchText === null ? null : (
          <button type="button" class="plain" disabled={busy.value} onClick={() => void showAll()}>
            {busy.value ? "Loading …" : failure.value === null ? "Show all" : "Try again"}
          </button>
        )}
      </p>
      {failure.value === null ? null : <Failure error={failure.value} />}
    </>
  );
}
