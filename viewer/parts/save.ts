/** Gives somebody a file that the page made. */
export function save(
  name: string,
  content: string | Blob | Uint8Array<ArrayBuffer>,
  type = "text/plain",
): void {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
