/** What a person chose in this browser: theme, motion, single-key shortcuts; and drafts. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

function read(name: string): string | null {
  try {
    return localStorage.getItem(`harn.${name}`);
  } catch {
    return null;
  }
}

/** Nothing where the browser keeps nothing. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`harn.${name}`);
    else localStorage.setItem(`harn.${name}`, value);
  } catch {
    // A browser that stores nothing forgets it with the page.
  }
}

export const recall = read;

const themeNamed = (name: string | null): Theme => (name === "light" || name === "dark" ? name : "system");

export const theme = signal<Theme>(themeNamed(read("theme")));
export const calm = signal(read("calm") === "yes");
export const singleKeys = signal(read("keys") !== "no");

effect(() => {
  keep("theme", theme.value === "system" ? null : theme.value);
  if (theme.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
effect(() => {
  keep("calm", calm.value ? "yes" : null);
  document.documentElement.classList.toggle("calm", calm.value);
});
effect(() => keep("keys", singleKeys.value ? null : "no"));
