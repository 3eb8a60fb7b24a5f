/** Rows of builtins over texts, formats, files and folders. */
import { type Field, field, fieldTable } from "../../table/index.ts";

export const diffFields = fieldTable(() => [
  field("path", "any", "The file's name, for both labels."),
  field("from_label", "any", "What stands after `---`."),
  field("to_label", "any", "What stands after `+++`."),
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
  field("expires_param", "any", "The parameter that says when the link ends.", { default: '"exp"' }),
  field("kid_param", "any", "The parameter that names the key.", { default: '"kid"' }),
  field("signature_param", "any", "The parameter with the signature.", { default: '"sig"' }),
];

export const signUrlFields = fieldTable(() => [
  field("kid", "any", "The name of the key."),
  ...textParameterNames(),
]);

export const verifyUrlFields = fieldTable(() => [
  field("skew_seconds", "int", "Seconds by which clocks may differ.", { default: "0" }),
  ...textParameterNames(),
]);

export const urlPartFields = fieldTable(() => [
  field("scheme", "any", "`https`, for example."),
  field("host", "any", "The host."),
  field("username", "any", "The user."),
  field("password", "any", "The password."),
  field("port", "any", "The port."),
  field("path", "any", "The path.", { default: '"/"' }),
  field("query", "any", "What stands after `?`."),
  field("fragment", "any", "What stands after `#`."),
  field("origin", "any", "As `url_parse` tells it; has no effect."),
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
  field("pattern", "any", "A glob that paths must fit."),
  field("max_depth", "int", "Levels of folders below.", { default: "5", range: [0, null] }),
  field("include_hidden", "bool", "Entries that begin with a dot too.", { default: "false" }),
  field("include_dirs", "bool", "Folders too.", { default: "true" }),
  field("include_files", "bool", "Files too.", { default: "true" }),
]);

export const findFields = fieldTable(() => [
  field("ignore_case", "bool", "Letter case counts for nothing.", { default: "false" }),
  field("regex", "bool", "The text is a regular expression.", { default: "false" }),
  field("glob", "any", "A glob that paths must fit."),
  field("max_results", "int", "Places that are given.", { range: [0, null] }),
]);

export const dateFields = fieldTable(() => [
  field("year", "any", "The year.", { sets: ["moment"] }),
  field("month", "any", "The month, 1 to 12.", { sets: ["moment"] }),
  field("day", "any", "The day, 1 to 31.", { sets: ["moment"] }),
  field("hour", "any", "The hour, 0 to 23.", { default: "0", sets: ["moment"] }),
  field("minute", "any", "The minute, 0 to 59.", { default: "0", sets: ["moment"] }),
  field("second", "any", "The second, 0 to 59.", { default: "0", sets: ["moment"] }),
  ...["weekday", "timestamp", "iso8601", "millisecond", "microsecond", "nanosecond", "zone", "offset"].map(
    (name) => field(name, "any", "As date functions tell it; has no effect."),
  ),
]);
