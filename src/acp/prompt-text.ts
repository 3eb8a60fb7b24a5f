/** The user's prompt as text: what the editor attaches stands after the words, named by where it comes from. */
import type { ContentBlock } from "@agentclientprotocol/sdk";

export function editorPromptText(blocks: readonly ContentBlock[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})`;
    case "resource": {
      const { resource } = block;
      return "text" in resource
        ? `<context uri="${resource.uri}">\n${resource.text}\n</context>`
        : `[attached data, not shown](${resource.uri})`;
    }
    // Not announced in the capabilities: a client that sends them all the same is told in the text.
    case "image":
    case "audio":
      return `[an attached ${block.type} that this agent does not take]`;
    default:
      return "";
  }
}
