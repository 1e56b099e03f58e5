/** The element with the view. After it has had the focus, Tab reaches the first control of the view. */
export function findContent(): HTMLElement | null {
  return document.getElementById("content");
}
