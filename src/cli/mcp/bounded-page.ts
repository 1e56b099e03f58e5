/** The most items of one answer, and the usual number. */
export const itemLimits = { standard: 20, maximum: 50 } as const;
/** The most characters of one answer: an assistant reads all of it. */
export const MAX_ANSWER_CHARACTERS = 50_000;

/** Reads a page whose JSON is not too long: asks for fewer items if it is. */
export async function readBoundedPage<Page>(
  limit: number,
  read: (size: number) => Promise<Page>,
): Promise<Page> {
  let size = limit;
  for (;;) {
    const page = await read(size);
    if (size === 1 || JSON.stringify(page).length <= MAX_ANSWER_CHARACTERS) return page;
    size = Math.ceil(size / 4);
  }
}
