/** A failed model call in one line for people: what the vendor said, its status, the address. */
export function failedCallText({
  message,
  address,
}: {
  readonly message: string;
  readonly address?: string | null;
}): string {
  return address == null || message.includes(address) ? message : `${message} (${address})`;
}
