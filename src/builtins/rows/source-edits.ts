/** Rows of builtins that edit source files. */
import { field, fieldTable } from "../../table/index.ts";

export const codeLanguageFields = fieldTable(
  () => [
    field("language", "string", "Name of a language or an extension of its files; else from `path`."),
    field("path", "string", "The file's name, for its extension; nothing is read."),
  ],
  { strict: true },
);

export const codeRenameFields = fieldTable(
  () => [
    field("language", "string", "Name of a language or an extension of its files; else from `path`."),
    field("path", "string", "The file's name, for its extension; nothing is read."),
    field("members", "bool", "Uses after a dot and as keys too.", { default: "false" }),
  ],
  { strict: true },
);

export const replaceFilesFields = fieldTable(
  () => [
    field("path", "string", "The file."),
    field("before_hash", "string", "SHA-256 of its text as it was read.", { bounds: true }),
    field("text", "string", "Its new text."),
  ],
  { strict: true, form: "list", typedByReader: true },
);
