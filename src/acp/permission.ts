/** What an approval policy asks a person, asked in the editor. */
import type { AgentContext, PermissionOption } from "@agentclientprotocol/sdk";
import type { ApprovalHost } from "../agent/index.ts";
import type { UpdateWriter } from "./updates.ts";

/** `optionId`s are words that `leaveOf` understands. */
const options: PermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "allow_always", name: "Always allow with these arguments", kind: "allow_always" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

interface ApprovalRequest {
  readonly tool_name?: string;
  readonly tool_args?: unknown;
  readonly tool_call_id?: string;
  readonly session_id?: string;
  readonly reason?: string;
  readonly policyDecision?: unknown;
}

/** Asks; a request that the editor cancels is a no. */
export function editorApprovals(
  client: AgentContext,
  sessionId: string,
  updates: UpdateWriter,
): ApprovalHost {
  return async (value, signal) => {
    const request = value as ApprovalRequest;
    const callId = request.tool_call_id ?? "";
    const toolCallId = updates.idOf(request.session_id ?? "", callId) ?? callId;
    const answer = await client.request(
      "session/request_permission",
      {
        sessionId,
        toolCall: {
          toolCallId,
          title: request.tool_name ?? "a tool",
          rawInput: request.tool_args,
          status: "pending",
        },
        options,
        _meta: { harn: { reason: request.reason ?? "", policyDecision: request.policyDecision } },
      },
      { cancellationSignal: signal },
    );
    const { outcome } = answer;
    if (outcome.outcome === "selected") return { outcome: outcome.optionId, decided_by: "editor" };
    return { outcome: "cancelled", reason: "the question was cancelled" };
  };
}
