/** LF line ends, no lone surrogates, no NUL: what every reader of a text begins with, so that offsets agree. */
export const normaliseSource = (text: string): string =>
  text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\ufffd").toWellFormed();
