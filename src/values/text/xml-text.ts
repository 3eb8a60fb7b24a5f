/** Text inside XML that we write: reports for build servers, documents of scripts. */

/** XML 1.0 cannot hold most control characters, not even escaped. */
function legalXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are replaced.
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

/** Between tags. What XML cannot hold becomes U+FFFD. */
export const xmlText = (text: string): string =>
  legalXml(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#13;");

/** Between double quotes. */
export const xmlAttribute = (text: string): string =>
  xmlText(text).replaceAll('"', "&quot;").replaceAll("\n", "&#10;").replaceAll("\t", "&#9;");
