/** What a call is given: texts as they are, the rest as JSON. */
import { isTextRef, type Json, type TextRef } from "../../src/server/protocol/index.ts";
import { jsonText, Pre, Safe } from "./text.tsx";
import { LongText } from "./whole-text.tsx";

export function Arguments({ value, label }: { readonly value: Json; readonly label: string }) {
  const entries =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value as object)
      : [];
  if (isTextRef(value)) return <LongText text={value} label={label} />;
  const hasTexts = entries.some(
    ([, one]) => isTextRef(one as Json) || (typeof one === "string" && one.includes("\n")),
  );
  if (!hasTexts) return <Pre text={jsonText(value)} label={label} />;
  return (
    <dl class="arguments">
      {entries.map(([name, one]) => (
        <div key={name}>
          <dt>
            <Safe text={name} />
          </dt>
          <dd>
            <LongText
              text={isTextRef(one as Json) ? (one as TextRef) : jsonText(one as Json)}
              label={`${label}: ${name}`}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}
