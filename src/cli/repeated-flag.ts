/** Takes in one more value of an option that may be given several times. */
export const collected = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  value,
];
