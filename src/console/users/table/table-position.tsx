import { type Observable, useObservable } from "../../lib/observable.ts";
import type { Range } from "../../lib/sparse-list.ts";
import { formatNumber } from "../../texts/format.ts";
import { users as texts } from "../../texts/index.ts";

interface PositionProps {
  readonly visible: Observable<Range>;
  readonly length: number;
  readonly isCapped: boolean;
}

/** Which users of how many are visible. A component of its own: it changes with every row that a person scrolls. */
export function TablePosition({ visible, length, isCapped }: PositionProps) {
  const { first, end } = useObservable(visible);
  const from = Math.min(first + 1, length);
  return (
    <p>
      {texts.position(
        formatNumber(from),
        formatNumber(Math.min(end, length)),
        formatNumber(length),
        isCapped,
      )}
    </p>
  );
}
