import { CircleAlert, Inbox, LockKeyhole, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { describeError } from "../lib/api.ts";
import { promptForAnotherKey } from "../lib/sign-in-prompt.ts";
import { failures, shell } from "../texts/index.ts";
import { Button } from "./button.tsx";

interface EmptyStateProps {
  readonly icon?: LucideIcon;
  readonly title: string;
  /** The heading's level: 1 where no other stands on the page. */
  readonly level?: 1 | 2;
  readonly text?: ReactNode;
  /** What to do next. */
  readonly children?: ReactNode;
}

/** A view that has nothing to show, and says what to do about it. */
export function EmptyState({ icon: Icon = Inbox, title, level = 2, text, children }: EmptyStateProps) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <div className="state">
      <Icon className="state-icon" aria-hidden />
      <Heading className="state-title">{title}</Heading>
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

/** What the caller's key is not good for; another may be. */
export function Forbidden({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <EmptyState icon={LockKeyhole} title={title} text={text}>
      <Button kind="primary" onClick={promptForAnotherKey}>
        {failures.otherKey}
      </Button>
    </EmptyState>
  );
}

/** What went wrong, and the way on: another key where this one may not, another try otherwise. */
export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { title, text, requestId, scope } = describeError(error);
  return (
    <div className="state-alert" role="alert">
      {scope ? (
        <Forbidden title={title} text={text} />
      ) : (
        <EmptyState icon={CircleAlert} title={title} text={text}>
          {retry && (
            <Button kind="primary" onClick={retry}>
              {shell.retry}
            </Button>
          )}
          {requestId !== undefined && <p className="hint">{failures.requestId(requestId)}</p>}
        </EmptyState>
      )}
    </div>
  );
}

/** What went wrong with what somebody has just done, beside where it was done. */
export function Alert({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <p className="failure" role="alert">
      {title !== undefined && <strong>{title}. </strong>}
      {children}
    </p>
  );
}
