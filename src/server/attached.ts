/** Whether the files that a message names can come with it: asked before it is accepted. */
import type { StoredConversation } from "../durable/index.ts";
import { type FieldError, HttpProblem } from "./problems.ts";
import { attachedFile, attachedTogether } from "./supervise/index.ts";
import { placeIn } from "./workspace.ts";

interface AttachmentPath {
  readonly path: string;
}

/** Throws 422 `invalid` with each file that does not fit. */
export async function mustBeAttachable(
  { workspace }: Pick<StoredConversation, "workspace">,
  attachments: readonly AttachmentPath[],
): Promise<void> {
  const errors: FieldError[] = [];
  let together = 0;
  for (const [index, { path }] of attachments.entries()) {
    const found = await fitting(workspace, path);
    if (typeof found === "string") errors.push({ path: `body.attachments.${index}.path`, message: found });
    else together += found;
  }
  if (errors.length === 0 && together > attachedTogether)
    errors.push({
      path: "body.attachments",
      message: `have ${together} bytes; together at most ${attachedTogether}`,
    });
  if (errors.length > 0) throw new HttpProblem("invalid", "a file can't come with the message", { errors });
}

/** How many bytes it has, or why it does not fit. */
async function fitting(workspace: string | null, path: string): Promise<number | string> {
  if (workspace === null) return "the conversation has no workspace";
  try {
    await placeIn(workspace, path);
  } catch (error) {
    if (error instanceof HttpProblem) return error.message;
    throw error;
  }
  const found = attachedFile(workspace, path);
  if ("unfit" in found) return found.unfit;
  return found.base64 === undefined
    ? Buffer.byteLength(found.text ?? "")
    : Buffer.byteLength(found.base64, "base64");
}
