/**
 * Runs in the page. Lists controls, labels, headings and the bars around them whose content is cut: wider than the element, or
 * outside the window where nothing scrolls.
 */
export function cutText(): string[] {
  const scrolls = (element: Element | null): boolean =>
    element !== null &&
    (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const isCut = (element: Element) => {
    const { display } = getComputedStyle(element);
    if (display !== "inline" && element.scrollWidth > element.clientWidth) return true;
    const { left, right } = element.getBoundingClientRect();
    return (left < 0 || right > innerWidth) && !scrolls(element.parentElement);
  };
  const selector =
    "button, a, label, legend, summary, h1, h2, h3, header, footer, nav, .actions, .selection-bar, [role=tab]";
  return [...document.querySelectorAll(selector)]
    .filter((element) => element.checkVisibility() && !element.closest(".hidden, .skip") && isCut(element))
    .map(
      (element) =>
        `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent?.slice(0, 80)}`,
    );
}
