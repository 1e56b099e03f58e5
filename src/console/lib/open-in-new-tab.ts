export function openInNewTab(href: string): void {
  open(href, "_blank", "noopener");
}
