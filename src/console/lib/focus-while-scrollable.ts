/** A ref that lets the keyboard reach and scroll an element, while the element has more content than it shows. */
export function focusWhileScrollable(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  const update = () => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const observer = new ResizeObserver(update);
  observer.observe(element);
  // The size of the content can change, too.
  for (const child of element.children) observer.observe(child);
  return () => observer.disconnect();
}
