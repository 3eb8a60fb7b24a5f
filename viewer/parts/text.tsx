/** Texts that others wrote. */
import { useSignal } from "@preact/signals";
import { isTextRef, type Json } from "../../src/server/protocol/index.ts";
import { bytes } from "../text/format.ts";
import { visiblePieces } from "../text/visible.ts";

/** A text with what can't be seen in it named. */
export function Safe({ text }: { readonly text: string }) {
  const pieces = visiblePieces(text);
  if (pieces.length === 1 && pieces[0]?.isHidden === false) return <>{text}</>;
  return (
    <>
      {pieces.map((piece, at) =>
        piece.isHidden ? (
          <span key={at} class="hidden-sign" title="A character that can't be seen">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

/** Characters that are drawn of a text at once, and with each further step. */
const drawn = 20_000;
const drawnMore = 200_000;

/** Code, output, arguments: as it is, in its own box. */
export function Pre({ text, label }: { readonly text: string; readonly label: string }) {
  const maxChars = useSignal(drawn);
  const left = text.length - maxChars.value;
  return (
    <>
      <pre class="pre" tabIndex={0} role="group" aria-label={label}>
        <Safe text={left > 0 ? text.slice(0, maxChars.value) : text} />
      </pre>
      {left <= 0 ? null : (
        <p class="soft small whole-text">
          {bytes(left)} more.{" "}
          <button type="button" class="plain" onClick={() => (maxChars.value += drawnMore)}>
            {left > drawnMore ? `Show ${bytes(drawnMore)} more` : "Show the rest"}
          </button>
        </p>
      )}
    </>
  );
}

/** JSON, indented; a text that is JSON is shown as what it says. */
export function jsonText(value: Json): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

/** The beginning of a text in one line. */
export function oneLine(text: string, maxChars = 160): string {
  const line = text
    .slice(0, maxChars * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > maxChars ? `${line.slice(0, maxChars - 1)}…` : line;
}

/** What a call is given, as a person would say it: the values, short. */
export function briefArguments(value: Json): string {
  if (value === null) return "";
  if (isTextRef(value)) return oneLine(value.head, 120);
  if (typeof value !== "object") return oneLine(String(value), 120);
  const entries = Array.isArray(value) ? value.map((one) => ["", one] as const) : Object.entries(value);
  const parts = entries.slice(0, 4).map(([name, one]) => {
    const said = isTextRef(one)
      ? `"${oneLine(one.head, 70)}"`
      : typeof one === "string"
        ? `"${oneLine(one, 70)}"`
        : oneLine(JSON.stringify(one) ?? "", 50);
    return name === "" || entries.length === 1 ? said : `${name}: ${said}`;
  });
  return parts.join(", ") + (entries.length > 4 ? ", …" : "");
}
