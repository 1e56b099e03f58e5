/**
 * Runs in the page. Lists the controls and links that a finger may miss: the element with its label is smaller than 44 × 44 px, and
 * so is what reacts around its centre. Left out: links in a sentence, and the link of a row that opens the same page.
 */
export function smallTargets(): string[] {
  const size = 44;
  const selector =
    "a[href], button, input, select, textarea, summary, [role=tab], [role=option], [role^=menuitem], [role=combobox]";
  const isInSentence = (element: Element) =>
    element.matches("p a, dd a, .hint a") && element.parentElement?.textContent !== element.textContent;
  const isLarge = ({ width, height }: DOMRect) => width >= size - 0.5 && height >= size - 0.5;
  const boxesOf = (element: Element) => {
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    return [element, ...labels].map((each) => each.getBoundingClientRect());
  };
  /** Whether a press beside the centre reaches the element, for example because a layer of the element covers its row. */
  const reacts = (element: Element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const reach = size / 2 - 1;
    return [
      [x - reach, y],
      [x + reach, y],
      [x, y - reach],
      [x, y + reach],
    ].every(([atX = 0, atY = 0]) => {
      const hit = document.elementFromPoint(atX, atY);
      const label = hit?.closest("label");
      return hit !== null && (element.contains(hit) || (label !== null && label?.control === element));
    });
  };
  const isHidden = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return (
      width <= 1 || height <= 1 || element.closest(".hidden, .skip, [inert], [aria-hidden=true]") !== null
    );
  };
  return [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !isHidden(element))
    .filter(
      (element) =>
        !element.matches(":disabled, tr:not(:has([data-toggle])) .list-link, .user-name") &&
        !isInSentence(element),
    )
    .filter((element) => {
      if (boxesOf(element).some(isLarge)) return false;
      element.scrollIntoView({ block: "center", inline: "nearest" });
      return !reacts(element);
    })
    .map((element) => {
      const { width, height } = element.getBoundingClientRect();
      const name = element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40);
      return `${element.tagName.toLowerCase()}.${element.className} “${name}”: ${Math.round(width)} × ${Math.round(height)}`;
    });
}
