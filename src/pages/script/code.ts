import { element, findAll } from "./dom.ts";

const token =
  /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)(?<colon>\s*:)?|(?<word>\b(?:true|false|null|import|from|const|let|await|while|for|of|if|throw|new|curl|GET|POST|PUT|PATCH|DELETE)\b)|(?<number>(?<=[\s[(])\d+(?:\.\d+)?\b)/g;

/** Highlights the syntax of a sample or a response. */
export function highlight(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const { string, colon = "", word, number = "" } = match.groups ?? {};
    parts.push(text.slice(end, match.index));
    if (string) parts.push(element("span", { class: colon ? "key" : "string" }, string), colon);
    else parts.push(element("span", { class: word ? "word" : "number" }, word ?? number));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

/** Highlights the samples, and replaces the sample origin with this service's origin. */
export function enhanceCode(): void {
  const sampleOrigin = document.body.dataset.sampleOrigin ?? "";
  for (const code of findAll("code[data-language]", HTMLElement)) {
    const text = (code.textContent ?? "").replaceAll(sampleOrigin, location.origin);
    code.replaceChildren(...(code.dataset.language === "text" ? [text] : highlight(text)));
  }
}
