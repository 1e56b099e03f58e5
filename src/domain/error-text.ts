/** The stack of an error, for the log. Errors cross threads as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
