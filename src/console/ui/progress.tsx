import { Progress as Base } from "@base-ui/react/progress";

interface ProgressProps {
  readonly label: string;
  /** Null if the progress is not known. */
  readonly value: number | null;
  readonly max: number;
  /** The progress in words. */
  readonly text?: string;
  readonly bad?: boolean;
}

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
