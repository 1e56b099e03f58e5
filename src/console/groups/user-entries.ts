/** An id, or the text of an email or a user name. */
export type UserEntry = number | string;

/** Most users that one dialog adds. */
export const MAX_ENTRIES = 5000;
const ID = /^[1-9]\d{0,14}$/;

/** The ids, emails and user names of a text, each once: one per line, or separated by commas, semicolons or tabs. */
export function parseEntries(text: string): readonly UserEntry[] {
  const entries = new Set<UserEntry>();
  for (const part of text.split(/[\n\r,;\t]+/)) {
    const entry = part.trim();
    if (entry !== "") entries.add(ID.test(entry) ? Number(entry) : entry);
  }
  return [...entries];
}
