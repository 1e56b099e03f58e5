/** Escaped markup. Only the `html` template tag creates it. */
export class Html {
  readonly #markup: string;
  private constructor(markup: string) {
    this.#markup = markup;
  }

  static fill(strings: TemplateStringsArray, ...values: Value[]): Html {
    return new Html(strings.reduce((markup, string, index) => markup + write(values[index - 1]) + string));
  }

  toString(): string {
    return this.#markup;
  }
}

type Value = Html | string | number | false | undefined | readonly Value[];

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes every value that is not `Html`. `false` and `undefined` write nothing; an array writes each item. */
export const html = Html.fill;

/** The Markdown that the contract's texts use: paragraphs, `code` and **bold**. */
export function markdown(text: string): Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${inlineMarkdown(paragraph)}</p>`);
}

export function inlineMarkdown(text: string): Html[] {
  return markBetween(text, "`", (code) => html`<code>${code}</code>`, bold);
}

function bold(text: string): Html[] {
  return markBetween(
    text,
    "**",
    (strong) => html`<strong>${strong}</strong>`,
    (plain) => [html`${plain}`],
  );
}

/** Splits the text at `mark`. `marked` renders the parts between two marks, `rest` the others. */
function markBetween(
  text: string,
  mark: string,
  marked: (part: string) => Html,
  rest: (part: string) => Html[],
) {
  const parts = text.split(mark);
  const paired = parts.length % 2 === 1 ? parts.length : parts.length - 1;
  return parts.flatMap((part, index) => {
    if (index >= paired) return rest(mark + part);
    return index % 2 === 1 ? [marked(part)] : rest(part);
  });
}

function write(value: Value): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.toString();
  if (typeof value === "object") return value.map(write).join("");
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
