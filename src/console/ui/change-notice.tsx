import type { ReactNode } from "react";
import { TriangleAlert } from "./icons.ts";

interface ChangeNoticeProps {
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** A notice above a form: what someone else has changed, and what the person can do now. Screen readers announce it. */
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
