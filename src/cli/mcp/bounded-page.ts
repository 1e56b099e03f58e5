/** The most items of one answer. */
export const MAX_ITEMS = 50;
const DEFAULT_ITEMS = 20;
/** The most characters of one answer: an assistant reads all of it. */
export const MAX_ANSWER_CHARACTERS = 50_000;

/** Reads a page whose JSON is not too long: asks for fewer items if it is. */
export async function readBoundedPage<Page>(
  limit: number | undefined,
  read: (size: number) => Promise<Page>,
): Promise<Page> {
  let size = Math.min(limit ?? DEFAULT_ITEMS, MAX_ITEMS);
  for (;;) {
    const page = await read(size);
    if (size === 1 || JSON.stringify(page).length <= MAX_ANSWER_CHARACTERS) return page;
    size = Math.ceil(size / 4);
  }
}
