/** `llm_transcript.jsonl`: what models were sent and what they answered, for people and tools that look later. */
export { noteTemplate, type TemplateBranchTaken, type TemplateNote } from "./template-note.ts";
export { recordSinks } from "./transcript-file.ts";
