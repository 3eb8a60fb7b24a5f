/** A text as a regular expression that finds just it. (`RegExp.escape` is not in every version of Node that is supported.) */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
