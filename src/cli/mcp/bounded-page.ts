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

/** Rounds of a search for one page. The service ends each after about 250 ms. */
const MAX_ROUNDS = 8;

/** Reads on while a page has fewer items than asked for: in a large directory, the service may return a page before it is full. */
export async function fillPage<Item>(
  size: number,
  after: string | undefined,
  read: (limit: number, after: string | undefined) => Promise<{ items: Item[]; next: string | undefined }>,
): Promise<{ items: Item[]; next: string | undefined }> {
  const items: Item[] = [];
  let next = after;
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const page = await read(size - items.length, next);
    items.push(...page.items);
    next = page.next;
    if (next === undefined || items.length >= size) break;
  }
  return { items, next };
}
