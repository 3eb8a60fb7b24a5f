/** Rows of builtins over texts, formats, files and folders. */
import { type Field, field, fieldTable } from "../../table/index.ts";

export const diffFields = fieldTable(() => [
  field("path", "any", "The file's name, for both labels.", { why: "shown as its text" }),
  field("from_label", "any", "What stands after `---`.", { why: "shown as its text" }),
  field("to_label", "any", "What stands after `+++`.", { why: "shown as its text" }),
  field("context", "int", "Equal lines around a change.", { default: "3" }),
]);

export const csvFields = fieldTable(() => [
  field("headers", "bool", "The first row names the columns.", { default: "false" }),
  field("delimiter", "string", "What stands between two cells.", { default: '","' }),
]);

export const xmlFields = fieldTable(() => [
  field("root", "string", "The name of the outermost element.", { default: '"root"' }),
  field("indent", "int", "Blanks for each level; 0 for one line.", { default: "0" }),
  field("declaration", "bool", "Begin with `<?xml …?>`.", { default: "true" }),
]);

export const jwtFields = fieldTable(() => [
  field("now", "int | float", "The time that counts, in seconds; else the clock's."),
  field("skew_seconds", "int", "Seconds by which clocks may differ.", { default: "0", range: [0, null] }),
]);

const textParameterNames = (): readonly Field[] => [
  field("expires_param", "string", "The parameter that says when the link ends.", { default: '"exp"' }),
  field("kid_param", "string", "The parameter that names the key.", { default: '"kid"' }),
  field("signature_param", "string", "The parameter with the signature.", { default: '"sig"' }),
];

export const signUrlFields = fieldTable(() => [
  field("kid", "any", "The name of the key.", { why: "shown as its text" }),
  ...textParameterNames(),
]);

export const verifyUrlFields = fieldTable(() => [
  field("skew_seconds", "int", "Seconds by which clocks may differ.", { default: "0" }),
  ...textParameterNames(),
]);

export const urlPartFields = fieldTable(() => [
  field("scheme", "any", "`https`, for example.", { why: "shown as its text" }),
  field("host", "any", "The host.", { why: "shown as its text" }),
  field("username", "any", "The user.", { why: "shown as its text" }),
  field("password", "any", "The password.", { why: "shown as its text" }),
  field("port", "int | string", "The port."),
  field("path", "any", "The path.", { default: '"/"', why: "shown as its text" }),
  field("query", "string | dict", "What stands after `?`."),
  field("fragment", "any", "What stands after `#`.", { why: "shown as its text" }),
  field("origin", "any", "As `url_parse` tells it; has no effect.", { why: "told back, without effect" }),
]);

export const walkFields = fieldTable(() => [
  field("max_depth", "int", "Levels of folders below; all unless given.", { range: [0, null] }),
  field("follow_symlinks", "bool", "Go into linked folders.", { default: "false" }),
]);

export const globFields = fieldTable(() => [
  ...walkFields.rows,
  field("max_results", "int", "Paths that are looked for: the first that a walk by name comes to.", {
    range: [0, null],
  }),
]);

export const scanFields = fieldTable(() => [
  field("pattern", "string", "A glob that paths must fit."),
  field("max_depth", "int", "Levels of folders below.", { default: "5", range: [0, null] }),
  field("include_hidden", "bool", "Entries that begin with a dot too.", { default: "false" }),
  field("include_dirs", "bool", "Folders too.", { default: "true" }),
  field("include_files", "bool", "Files too.", { default: "true" }),
]);

export const findFields = fieldTable(() => [
  field("ignore_case", "bool", "Letter case counts for nothing.", { default: "false" }),
  field("regex", "bool", "The text is a regular expression.", { default: "false" }),
  field("glob", "string", "A glob that paths must fit."),
  field("max_results", "int", "Places that are given.", { range: [0, null] }),
]);

export const dateFields = fieldTable(() => [
  field("year", "int", "The year.", { sets: ["moment"] }),
  field("month", "int", "The month, 1 to 12.", { sets: ["moment"] }),
  field("day", "int", "The day, 1 to 31.", { sets: ["moment"] }),
  field("hour", "int", "The hour, 0 to 23.", { default: "0", sets: ["moment"] }),
  field("minute", "int", "The minute, 0 to 59.", { default: "0", sets: ["moment"] }),
  field("second", "int", "The second, 0 to 59.", { default: "0", sets: ["moment"] }),
  ...["weekday", "timestamp", "iso8601", "millisecond", "microsecond", "nanosecond", "zone", "offset"].map(
    (name) => field(name, "any", "As date functions tell it; has no effect.", { why: "told back" }),
  ),
]);
