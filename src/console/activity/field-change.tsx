import { activity as texts } from "../texts/activity.ts";
import { ArrowRight } from "../ui/icons.ts";
import { type ShownValue, shortenChange, shortenValue } from "./change-text.ts";

interface FieldChangeProps {
  readonly label: string;
  readonly from: unknown;
  readonly to: unknown;
  /** Whether the old values of several users differ: then only the new one is shown. */
  readonly hasManyBefore?: boolean;
}

/** A change in a sentence: level 3 → 4. */
export function FieldChange({ label, from, to, hasManyBefore = false }: FieldChangeProps) {
  const [before, after] = hasManyBefore ? [undefined, shortenValue(to)] : shortenChange(from, to);
  return (
    <span className="field-change">
      <bdi className="field-change-name">{label}</bdi>{" "}
      {before && (
        <>
          <Value value={before} />{" "}
        </>
      )}
      <ArrowRight className="field-change-arrow" aria-hidden />
      <span className="hidden">{texts.becomes}</span> <Value value={after} />
    </span>
  );
}

function Value({ value: { kind, text } }: { readonly value: ShownValue }) {
  if (kind === "words") return <span className="none">{text}</span>;
  return (
    <bdi dir="auto" className={kind === "json" ? "field-change-json" : undefined}>
      {text}
    </bdi>
  );
}
