import type { ReactNode } from "react";

interface FactProps {
  readonly label: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** One fact of a list of facts (`<dl>`). */
export function Fact({ label, isWide = false, children }: FactProps) {
  return (
    <div className={isWide ? "wide" : undefined}>
      <dt className="hint">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
