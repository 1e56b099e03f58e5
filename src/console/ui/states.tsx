import { CircleAlert, Inbox, LockKeyhole, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { explain } from "../api.ts";
import { endSession } from "../app/session.ts";
import { failures, shell } from "../texts/index.ts";
import { Button } from "./button.tsx";

interface StateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  readonly text?: ReactNode;
  /** What to do next. */
  readonly children?: ReactNode;
}

/** A view that has nothing to show, and says what to do about it. */
export function State({ icon: Icon = Inbox, title, text, children }: StateProps) {
  return (
    <div className="state">
      <Icon className="state-icon" aria-hidden />
      <h2 className="state-title">{title}</h2>
      {text !== undefined && <p className="lead">{text}</p>}
      {children !== undefined && <div className="state-actions">{children}</div>}
    </div>
  );
}

export function Loading() {
  return (
    <div className="state" role="status">
      <span className="spinner large" />
      <span className="hidden">{shell.loading}</span>
    </div>
  );
}

/** What went wrong, and the way on: another key where this one may not, another try otherwise. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { title, text, requestId, scope } = explain(error);
  return (
    <div role="alert">
      <State icon={scope ? LockKeyhole : CircleAlert} title={title} text={text}>
        {scope ? (
          <Button kind="primary" onClick={endSession}>
            {failures.otherKey}
          </Button>
        ) : (
          retry && (
            <Button kind="primary" onClick={retry}>
              {shell.retry}
            </Button>
          )
        )}
        {requestId !== undefined && <p className="hint">{failures.requestId(requestId)}</p>}
      </State>
    </div>
  );
}
