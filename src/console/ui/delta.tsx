import type { ReactNode } from "react";
import { ArrowRight } from "./icons.ts";

/** How a value has changed: `3 → 4`. */
export function Delta({ from, to }: { readonly from: ReactNode; readonly to: ReactNode }) {
  return (
    <span className="delta">
      <del>{from}</del> <ArrowRight aria-hidden />
      <span className="hidden">→</span> <ins>{to}</ins>
    </span>
  );
}
