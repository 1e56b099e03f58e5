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
