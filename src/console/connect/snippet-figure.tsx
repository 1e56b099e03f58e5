import { connect as texts } from "../texts/index.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Highlighted } from "./highlight.tsx";
import type { Snippet } from "./snippets.ts";

/** Code to copy, with its title. */
export function SnippetFigure({
  snippet: { name, code, language = "shell" },
}: {
  readonly snippet: Snippet;
}) {
  const title = texts.snippets[name];
  return (
    <figure className="shown" data-snippet={name}>
      {title !== "" && <figcaption className="hint">{title}</figcaption>}
      <div className="snippet">
        <pre>
          <code>
            <Highlighted code={code} language={language} />
          </code>
        </pre>
        <CopyButton text={code} />
      </div>
    </figure>
  );
}
