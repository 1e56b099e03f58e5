/** Gives the person a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers only begin to read it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
