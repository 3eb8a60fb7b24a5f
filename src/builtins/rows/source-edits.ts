/** Rows of builtins that edit source files. */
import { row, rows } from "../../table/index.ts";

export const codeLanguageFields = rows(
  () => ({
    language: row.text("Name of a language or an extension of its files; else from `path`."),
    path: row.text("The file's name, for its extension; nothing is read."),
  }),
  { strict: true },
);

export const codeRenameFields = rows(
  () => ({
    language: row.text("Name of a language or an extension of its files; else from `path`."),
    path: row.text("The file's name, for its extension; nothing is read."),
    members: row.bool("Uses after a dot and as keys too.", false),
  }),
  { strict: true },
);

export const replaceFilesFields = rows(
  () => ({
    path: row.text("The file."),
    before_hash: row.text("SHA-256 of its text as it was read.").bounds(),
    text: row.text("Its new text."),
  }),
  { strict: true, form: "list", typedByReader: true },
);
