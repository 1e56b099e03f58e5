const MAX_CHARACTERS = 100;

/** A text of a client, for a message. */
export function shorten(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
