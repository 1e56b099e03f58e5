import type { ReactNode } from "react";
import { TriangleAlert } from "./icons.ts";

interface ChangeNoticeProps {
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** Says above a form what someone else did meanwhile, and what a person can do about it. Inside of a status. */
export function ChangeNotice({ actions, children }: ChangeNoticeProps) {
  return (
    <div className="warning">
      <TriangleAlert aria-hidden />
      <div className="others-change-text">
        {children}
        <div className="actions">{actions}</div>
      </div>
    </div>
  );
}
