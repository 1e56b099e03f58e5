import { Component, type FunctionComponent, lazy, type ReactNode, Suspense } from "react";
import { registerChunk } from "../lib/prefetch.ts";
import { shell, broken as texts } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { TriangleAlert } from "./icons.ts";
import { Modal } from "./modal.tsx";
import { EmptyState } from "./states.tsx";

interface BoundaryProps {
  readonly children: ReactNode;
  /** When this changes, the boundary shows its children again. */
  readonly resetKey?: string;
  /** Shown instead of the children. Default: a message. */
  readonly fallback?: (error: unknown) => ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Catches errors of its children, so the rest of the page keeps working. */
export class ErrorBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.failure && before.resetKey !== this.props.resetKey) this.setState({ failure: undefined });
  }

  override render() {
    const { children, fallback = (error) => <ErrorFallback error={error} /> } = this.props;
    return this.state.failure ? fallback(this.state.failure.error) : children;
  }
}

interface OverlayBoundaryProps {
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** Boundary for dialogs and drawers: shows nothing while they load, and a dialog if they fail. */
export function OverlayBoundary({ children, onClose }: OverlayBoundaryProps) {
  return (
    <ErrorBoundary fallback={(error) => <ErrorModal error={error} onClose={onClose} />}>
      <Suspense>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** Like React's `lazy`, with an error that the boundary recognizes. */
export function lazyComponent<Props extends object>(load: () => Promise<FunctionComponent<Props>>) {
  registerChunk(load);
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch (cause) {
      throw new CodeLoadError(cause);
    }
  });
}

/** The script could not be loaded: no connection, or a newer release no longer has the file. */
class CodeLoadError extends Error {
  constructor(cause: unknown) {
    super("A part of the console could not be loaded.", { cause });
  }
}

function ErrorFallback({ error }: { readonly error: unknown }) {
  const { title, text } = describe(error);
  return (
    <div className="state-alert" role="alert">
      <EmptyState icon={TriangleAlert} level={1} title={title} text={text}>
        <Reload />
      </EmptyState>
    </div>
  );
}

function ErrorModal({ error, onClose }: { readonly error: unknown; readonly onClose: () => void }) {
  const { title, text } = describe(error);
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      lead={text}
      actions={
        <>
          <Button onClick={onClose}>{shell.close}</Button>
          <Reload />
        </>
      }
    />
  );
}

function Reload() {
  return (
    <Button kind="primary" onClick={() => location.reload()}>
      {texts.reload}
    </Button>
  );
}

function describe(error: unknown) {
  return error instanceof CodeLoadError ? texts.notLoaded : texts.failed;
}
