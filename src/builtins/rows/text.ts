/** Rows of builtins over texts, formats, files and folders. */
import { row, rows } from "../../table/index.ts";

export const diffFields = rows(() => ({
  path: row.shown("The file's name, for both labels."),
  from_label: row.shown("What stands after `---`."),
  to_label: row.shown("What stands after `+++`."),
  context: row.int("Equal lines around a change.", 3),
}));

export const csvFields = rows(() => ({
  headers: row.bool("The first row names the columns.", false),
  delimiter: row.text("What stands between two cells.", ","),
}));

export const xmlFields = rows(() => ({
  root: row.text("The name of the outermost element.", "root"),
  indent: row.int("Blanks for each level; 0 for one line.", 0),
  declaration: row.bool("Begin with `<?xml …?>`.", true),
}));

export const jwtFields = rows(() => ({
  now: row.number("The time that counts, in seconds; else the clock's."),
  skew_seconds: row.int("Seconds by which clocks may differ.", 0, { min: 0 }),
}));

const textParameterNames = () => ({
  expires_param: row.filled("The parameter that says when the link ends.", "exp"),
  kid_param: row.filled("The parameter that names the key.", "kid"),
  signature_param: row.filled("The parameter with the signature.", "sig"),
});

export const signUrlFields = rows(() => ({
  kid: row.shown("The name of the key."),
  ...textParameterNames(),
}));

export const verifyUrlFields = rows(() => ({
  skew_seconds: row.int("Seconds by which clocks may differ.", 0),
  ...textParameterNames(),
}));

export const urlPartFields = rows(() => ({
  scheme: row.shown("`https`, for example."),
  host: row.shown("The host."),
  username: row.shown("The user."),
  password: row.shown("The password."),
  port: row.either([row.int(), row.text()], "The port."),
  path: row.shown("The path.", "/"),
  query: row.either([row.text(), row.dict(null)], "What stands after `?`."),
  fragment: row.shown("What stands after `#`."),
  origin: row.value("As `url_parse` tells it; has no effect.", "told back, without effect"),
}));

export const walkFields = rows(() => ({
  max_depth: row.int("Levels of folders below; all unless given.", null, { min: 0 }),
  follow_symlinks: row.bool("Go into linked folders.", false),
}));

export const globFields = rows(
  () => ({
    max_results: row.int("Paths that are looked for: the first that a walk by name comes to.", null, {
      min: 0,
    }),
  }),
  { beside: () => [...walkFields.rows] },
);

export const scanFields = rows(() => ({
  pattern: row.text("A glob that paths must fit."),
  max_depth: row.int("Levels of folders below.", 5, { min: 0 }),
  include_hidden: row.bool("Entries that begin with a dot too.", false),
  include_dirs: row.bool("Folders too.", true),
  include_files: row.bool("Files too.", true),
}));

export const findFields = rows(() => ({
  ignore_case: row.bool("Letter case counts for nothing.", false),
  regex: row.bool("The text is a regular expression.", false),
  glob: row.text("A glob that paths must fit."),
  max_results: row.int("Places that are given.", null, { min: 0 }),
}));

export const dateFields = rows(() => ({
  year: row.int("The year.").with({ sets: ["moment"] }),
  month: row.int("The month, 1 to 12.").with({ sets: ["moment"] }),
  day: row.int("The day, 1 to 31.").with({ sets: ["moment"] }),
  hour: row.int("The hour, 0 to 23.", 0).with({ sets: ["moment"] }),
  minute: row.int("The minute, 0 to 59.", 0).with({ sets: ["moment"] }),
  second: row.int("The second, 0 to 59.", 0).with({ sets: ["moment"] }),
  ...Object.fromEntries(
    ["weekday", "timestamp", "iso8601", "millisecond", "microsecond", "nanosecond", "zone", "offset"].map(
      (name) => [name, row.value("As date functions tell it; has no effect.", "told back")],
    ),
  ),
}));
