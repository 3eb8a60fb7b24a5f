/** Keys of the page. Without Ctrl they do nothing while somebody writes; those of one character can be switched off. */
import { useEffect, useRef } from "preact/hooks";
import { singleKeys } from "./preferences.ts";

/** `j`, `Enter`, `Ctrl+.`; false: not for us. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => unknown>>;

const writes = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.closest("input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]") !== null;

function nameOf(event: KeyboardEvent): string {
  const isControlled = event.ctrlKey || event.metaKey;
  return `${isControlled ? "Ctrl+" : ""}${event.key}`;
}

export function useKeys(keys: Keys): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const name = nameOf(event);
      const isControlled = name.startsWith("Ctrl+");
      if (!isControlled && writes(event.target)) return;
      if (name.length === 1 && !singleKeys.peek()) return;
      if (!isControlled && document.querySelector("dialog[open]") !== null) return;
      // A button that has the focus is pressed by Enter.
      if (name === "Enter" && event.target instanceof HTMLButtonElement) return;
      const act = Object.hasOwn(current.current, name) ? current.current[name] : undefined;
      if (act === undefined || act(event) === false) return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
