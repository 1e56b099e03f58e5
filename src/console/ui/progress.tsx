import { Progress as Base } from "@base-ui/react/progress";

interface ProgressProps {
  readonly label: string;
  /** Null where nobody knows how far it is. */
  readonly value: number | null;
  readonly max: number;
  /** The same in words. */
  readonly text?: string;
  readonly bad?: boolean;
}

/** How far something is that takes a while. */
export function Progress({ label, value, max, text, bad = false }: ProgressProps) {
  return (
    <Base.Root
      className="progress"
      value={value}
      max={Math.max(max, 1)}
      {...(text !== undefined && { "aria-valuetext": text })}
    >
      <Base.Label className="hidden">{label}</Base.Label>
      {text !== undefined && <p className="figure">{text}</p>}
      <Base.Track className="progress-track">
        <Base.Indicator className={`progress-fill${bad ? " bad" : ""}`} />
      </Base.Track>
    </Base.Root>
  );
}
