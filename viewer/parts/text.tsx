/** Texts that others wrote. */
import { type EventText, headOfText, type Json } from "../../src/server/protocol/index.ts";
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

/** Characters that are drawn of a text at once. */
const drawn = 20_000;

/** Code, output, arguments: as it is, in its own box. */
export function Pre({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = text.length > drawn ? text.slice(0, drawn) : text;
  return (
    <pre class="pre" tabIndex={0} role="group" aria-label={label}>
      <Safe text={shown} />
      {shown === text ? null : <span class="soft">{`\n… ${bytes(text.length - drawn)} more`}</span>}
    </pre>
  );
}

/** A text of an event: of a long one its beginning, and how long it is. */
export function LongText({ text, label }: { readonly text: EventText; readonly label: string }) {
  return (
    <>
      <Pre text={headOfText(text)} label={label} />
      {typeof text === "string" ? null : <p class="soft small">The beginning of {bytes(text.bytes)}.</p>}
    </>
  );
}

/** JSON, indented; a text that is JSON is shown as what it says. */
export function jsonText(value: Json): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

/** The beginning of a text in one line. */
export function oneLine(text: string, most = 160): string {
  const line = text
    .slice(0, most * 2)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** What a call is given, as a person would say it: the values, short. */
export function briefArguments(value: Json): string {
  if (value === null) return "";
  if (typeof value !== "object") return oneLine(String(value), 120);
  const entries = Array.isArray(value) ? value.map((one) => ["", one] as const) : Object.entries(value);
  const parts = entries.slice(0, 4).map(([name, one]) => {
    const said = typeof one === "string" ? `"${oneLine(one, 70)}"` : oneLine(JSON.stringify(one) ?? "", 50);
    return name === "" || entries.length === 1 ? said : `${name}: ${said}`;
  });
  return parts.join(", ") + (entries.length > 4 ? ", …" : "");
}
