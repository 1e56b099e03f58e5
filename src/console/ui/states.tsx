import type { ReactNode, Ref } from "react";
import { describeError } from "../lib/api.ts";
import { promptForAnotherKey } from "../lib/sign-in-prompt.ts";
import { failures, shell } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { CircleAlert, type Icon, Inbox, LockKeyhole } from "./icons.ts";

interface EmptyStateProps {
  readonly icon?: Icon;
  readonly title: string;
  /** The heading's level: 1 if the page has no other heading. */
  readonly level?: 1 | 2;
  readonly text?: ReactNode;
  /** Actions, such as buttons and links. */
  readonly children?: ReactNode;
}

/** A message in place of content, with actions. */
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

/** The current key lacks a scope. Offers to sign in with another. */
export function Forbidden({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <EmptyState icon={LockKeyhole} title={title} text={text}>
      <Button kind="primary" onClick={promptForAnotherKey}>
        {failures.otherKey}
      </Button>
    </EmptyState>
  );
}

interface ErrorStateProps {
  readonly error: unknown;
  readonly retry?: () => void;
  /** As of an `EmptyState`. */
  readonly level?: 1 | 2;
}

/** An error in place of content. Offers another key if the scope is missing, otherwise a retry. */
export function ErrorState({ error, retry, level = 2 }: ErrorStateProps) {
  const { title, text, requestId, scope } = describeError(error);
  return (
    <div className="state-alert" role="alert">
      {scope ? (
        <Forbidden title={title} text={text} />
      ) : (
        <EmptyState icon={CircleAlert} title={title} level={level} text={text}>
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

interface UnloadedProps {
  /** What is shown if the entry does not exist. */
  readonly gone: ReactNode;
  readonly isGone: boolean;
  /** Why the entry could not be loaded. */
  readonly error: unknown;
  readonly retry: () => void;
}

/** In place of the page of an entry until it has arrived. */
export function Unloaded({ gone, isGone, error, retry }: UnloadedProps) {
  if (isGone) return gone;
  return error ? <ErrorState error={error} retry={retry} /> : <Loading />;
}

interface AlertProps {
  readonly title?: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLParagraphElement>;
}

/** An error message within a form or section. */
export function Alert({ title, children, ref }: AlertProps) {
  return (
    <p className="failure" role="alert" ref={ref}>
      {title !== undefined && <strong>{title}. </strong>}
      {children}
    </p>
  );
}
