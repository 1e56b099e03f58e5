import { type ReactNode, useEffect, useRef } from "react";

/** The title of a step. Takes the focus, so keyboard and screen reader users continue here. */
export function StepTitle({
  children,
  shouldFocus = true,
}: {
  readonly children: ReactNode;
  readonly shouldFocus?: boolean;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shouldFocus) title.current?.focus();
  }, [shouldFocus]);
  return (
    <h2 className="import-title" ref={title} tabIndex={-1}>
      {children}
    </h2>
  );
}
