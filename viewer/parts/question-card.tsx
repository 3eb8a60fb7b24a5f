/** A question that waits for somebody: what is asked, and what can be said. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type {
  AnswerBody,
  EventText,
  Json,
  JsonObject,
  QuestionRecord,
  QuestionView,
} from "../../src/server/protocol/index.ts";
import { headOfText } from "../../src/server/protocol/index.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { client, HarnProblem, once } from "../net/api.ts";
import { age } from "../text/format.ts";
import { Arguments } from "./arguments.tsx";
import { Failure } from "./failure.tsx";
import { Icon } from "./icon.tsx";
import { jsonText, Safe } from "./text.tsx";
import { LongMarkdown } from "./whole-text.tsx";

export interface CardProps {
  readonly question: QuestionView;
  /** The plan that is asked about. */
  readonly plan: EventText | null;
  readonly canAnswer: boolean;
}

/** How it is to be answered: by yes or no, by one of its choices, or freely. */
const decided: ReadonlySet<string> = new Set(["approval", "permission", "plan"]);

export function QuestionCard({ question, plan, canAnswer }: CardProps) {
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const record = useSignal<QuestionRecord | null>(null);
  useEffect(() => {
    if (!canAnswer) return;
    // What its event tells is enough to read it; its record says which answers there are.
    client.question(question.id).then(
      (read) => {
        record.value = read;
      },
      () => {},
    );
  }, [question.id, canAnswer, record]);
  const data = { ...question.data, ...record.value };
  const choices = record.value?.choices ?? [];
  const send = async (body: AnswerBody): Promise<void> => {
    busy.value = true;
    failure.value = null;
    try {
      await client.answer(question.id, body, once());
    } catch (error) {
      failure.value = error;
    }
    // Until its event comes the card stays as it is; a refused answer can be given again.
    busy.value = failure.value === null;
  };
  const isPlan = data.kind === "plan";
  const isApproval = !isPlan && (data.tool !== null || decided.has(data.kind)) && data.kind !== "doubt";
  const onKey = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || busy.value || !(isApproval || isPlan)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "a") void send({ decision: "approve" });
    else if (event.key === "d") void send({ decision: "deny" });
  };
  return (
    <section
      class="card"
      tabIndex={0}
      aria-label={isApproval ? `Approval for ${data.tool ?? "a call"}` : "Question"}
      onKeyDown={onKey}
    >
      <header>
        <Icon name={isPlan ? "plan" : "question"} />
        <b>
          {isApproval ? (
            <>
              May <code>{data.tool === null ? "this" : <Safe text={data.tool} />}</code> run?
            </>
          ) : isPlan ? (
            "Is this plan right?"
          ) : (
            "A question"
          )}
        </b>
        <span class="soft">{age(question.asked)}</span>
      </header>
      {data.prompt === "" ? null : isPlan || !isApproval ? (
        <Markdown text={data.prompt} />
      ) : (
        <p>
          <Safe text={data.prompt} />
        </p>
      )}
      {isPlan && plan !== null && headOfText(plan) !== data.prompt ? <LongMarkdown text={plan} /> : null}
      {canAnswer ? (
        isApproval ? (
          <Approval
            args={data.arguments}
            mayAlways={data.kind === "permission"}
            busy={busy.value}
            send={send}
          />
        ) : isPlan ? (
          <PlanAnswer busy={busy.value} send={send} />
        ) : (
          <FreeAnswer schema={data.schema} choices={choices} busy={busy.value} send={send} id={question.id} />
        )
      ) : (
        <p class="soft small">You may look at it, not answer it.</p>
      )}
      {failure.value === null ? null : failure.value instanceof HarnProblem &&
        failure.value.slug === "already-answered" ? (
        <p class="soft" role="alert">
          Somebody was faster: <Safe text={failure.value.message} />.
        </p>
      ) : (
        <Failure error={failure.value} />
      )}
    </section>
  );
}

interface AnswerProps {
  readonly busy: boolean;
  readonly send: (body: AnswerBody) => Promise<void>;
}

function Approval({
  args,
  mayAlways,
  busy,
  send,
}: AnswerProps & { readonly args: Json; readonly mayAlways: boolean }) {
  const edits = useSignal(false);
  const text = useSignal(jsonText(args));
  const wrong = useSignal<string | null>(null);
  const denies = useSignal(false);
  const reason = useSignal("");
  const approve = (always: boolean): void => {
    const body: { decision: "approve"; always?: boolean; arguments?: JsonObject } = { decision: "approve" };
    if (always) body.always = true;
    if (edits.value) {
      try {
        const read: unknown = JSON.parse(text.value);
        if (typeof read !== "object" || read === null || Array.isArray(read))
          throw new Error("Arguments are an object.");
        body.arguments = read as JsonObject;
      } catch (error) {
        wrong.value = (error as Error).message;
        return;
      }
    }
    wrong.value = null;
    void send(body);
  };
  return (
    <>
      {edits.value ? (
        <label class="field">
          Arguments
          <textarea
            class="code"
            rows={Math.min(14, text.value.split("\n").length + 1)}
            value={text.value}
            spellcheck={false}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
      ) : args === null ? null : (
        <Arguments value={args} label="Arguments" />
      )}
      {wrong.value === null ? null : <p class="failure">These arguments can't be read: {wrong.value}</p>}
      {denies.value ? (
        <label class="field">
          Why not? (optional, the agent reads it)
          <input
            type="text"
            value={reason.value}
            onInput={(event) => {
              reason.value = event.currentTarget.value;
            }}
          />
        </label>
      ) : null}
      <div class="buttons">
        {denies.value ? (
          <>
            <button
              type="button"
              class="danger"
              disabled={busy}
              onClick={() =>
                void send({
                  decision: "deny",
                  ...(reason.value.trim() === "" ? {} : { reason: reason.value }),
                })
              }
            >
              Deny it
            </button>
            <button type="button" class="plain" onClick={() => (denies.value = false)}>
              Back
            </button>
          </>
        ) : (
          <>
            <button type="button" class="primary" disabled={busy} onClick={() => approve(false)}>
              {edits.value ? "Approve as edited" : "Approve"}
            </button>
            {mayAlways ? (
              <button type="button" disabled={busy} onClick={() => approve(true)}>
                Always
              </button>
            ) : null}
            <button type="button" disabled={busy} onClick={() => (denies.value = true)}>
              Deny
            </button>
            <button
              type="button"
              class="plain"
              aria-pressed={edits.value}
              onClick={() => (edits.value = !edits.value)}
            >
              {edits.value ? "Don't edit" : "Edit arguments"}
            </button>
          </>
        )}
      </div>
    </>
  );
}

function PlanAnswer({ busy, send }: AnswerProps) {
  const feedback = useSignal("");
  const said = () => (feedback.value.trim() === "" ? {} : { feedback: feedback.value });
  return (
    <>
      <label class="field">
        What should be different? (optional)
        <textarea
          rows={2}
          value={feedback.value}
          onInput={(event) => {
            feedback.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={busy}
          onClick={() => void send({ decision: "approve", ...said() })}
        >
          Approve and go on
        </button>
        <button type="button" disabled={busy} onClick={() => void send({ decision: "deny", ...said() })}>
          Change the plan
        </button>
      </div>
    </>
  );
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly Json[];
  readonly properties?: unknown;
}

/** Choices as buttons, numbers and JSON as what they are, everything else as text. */
function FreeAnswer({
  schema,
  choices,
  busy,
  send,
  id,
}: AnswerProps & { readonly schema: Json; readonly choices: readonly string[]; readonly id: string }) {
  const text = useSignal("");
  const wrong = useSignal<string | null>(null);
  const { type, enum: listed } = (typeof schema === "object" && schema !== null ? schema : {}) as Schema;
  const options = listed ?? (choices.length > 0 ? choices : type === "boolean" ? [true, false] : null);
  if (options !== null) {
    return (
      <div class="buttons">
        {options.map((choice, at) => (
          <button key={at} type="button" disabled={busy} onClick={() => void send({ answer: choice })}>
            <Safe text={choice === true ? "Yes" : choice === false ? "No" : jsonText(choice)} />
          </button>
        ))}
      </div>
    );
  }
  const submit = (event: Event): void => {
    event.preventDefault();
    if (type === undefined || type === "string") {
      void send({ answer: text.value });
      return;
    }
    try {
      void send({ answer: JSON.parse(text.value) as Json });
      wrong.value = null;
    } catch (error) {
      wrong.value = (error as Error).message;
    }
  };
  return (
    <form onSubmit={submit}>
      <label class="field">
        Answer{type === undefined || type === "string" ? "" : ` (${type}, as JSON)`}
        <textarea
          id={`answer-${id}`}
          rows={2}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
      </label>
      {wrong.value === null ? null : <p class="failure">This can't be read: {wrong.value}</p>}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy || text.value.trim() === ""}>
          Answer
        </button>
      </div>
    </form>
  );
}
