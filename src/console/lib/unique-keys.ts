/** React keys for texts that may be equal: the text, and how many equal ones are before it. */
export function uniqueKeys(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return texts.map((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count + 1);
    return `${count} ${text}`;
  });
}
