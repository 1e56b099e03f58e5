import { formatNumber } from "../texts/format.ts";
import type { ImportAction } from "./import-kinds.ts";

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly bad?: boolean;
}

/** A figure of a check or an import, with its label above. */
export function Figure({ label, value, bad = false }: FigureProps) {
  return (
    <div>
      <dt className="hint">{label}</dt>
      <dd className={bad ? "bad" : ""}>{value}</dd>
    </div>
  );
}

interface OutcomesProps {
  /** Only the outcomes with a text can occur. */
  readonly texts: {
    readonly created: Partial<Record<ImportAction, string>>;
    readonly existing: Partial<Record<ImportAction, string>>;
  };
  readonly action: ImportAction;
  readonly created: number;
  readonly existing: number;
}

/** How many rows of a check or an import create something, and how many find what exists. */
export function Outcomes({ texts, action, created, existing }: OutcomesProps) {
  const outcomes = [
    [texts.created[action], created],
    [texts.existing[action], existing],
  ] as const;
  return outcomes.map(
    ([label, count]) =>
      label !== undefined && <Figure key={label} label={label} value={formatNumber(count)} />,
  );
}
