export interface ServeFlags {
  readonly sessions?: boolean;
  readonly jobs?: string;
  readonly once?: boolean;
  readonly json?: boolean;
}
export async function serveCommand(_flags: ServeFlags): Promise<number> {
  return 0;
}
