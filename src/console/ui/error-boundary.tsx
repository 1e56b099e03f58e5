import { TriangleAlert } from "lucide-react";
import { Component, type FunctionComponent, lazy, type ReactNode, Suspense } from "react";
import { shell, broken as texts } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { Modal } from "./modal.tsx";
import { EmptyState } from "./states.tsx";

interface BoundaryProps {
  readonly children: ReactNode;
  /** Where one is: whoever goes elsewhere is shown what is there. */
  readonly resetKey?: string;
  /** What stands in the place of what broke: a message that fills it unless given. */
  readonly fallback?: (error: unknown) => ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Keeps what breaks from taking the rest of the page with it. */
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
  /** Nobody wants it any more. */
  readonly onClose: () => void;
}

/** What opens over the page, once it is here; if it breaks, the page beneath stays as it is. */
export function OverlayBoundary({ children, onClose }: OverlayBoundaryProps) {
  return (
    <ErrorBoundary fallback={(error) => <ErrorModal error={error} onClose={onClose} />}>
      <Suspense>{children}</Suspense>
    </ErrorBoundary>
  );
}

/** What is fetched when it is first shown. */
export function lazyComponent<Props extends object>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
) {
  return lazy(() =>
    load().catch((cause) => {
      throw new CodeLoadError(cause);
    }),
  );
}

/** No answer; or the service has been replaced since the page was opened, and has no such file any more. */
class CodeLoadError extends Error {
  constructor(cause: unknown) {
    super("A part of the console could not be loaded.", { cause });
  }
}

/** In the place of what broke. */
function ErrorFallback({ error }: { readonly error: unknown }) {
  const { title, text } = textsOf(error);
  return (
    <div role="alert">
      <EmptyState icon={TriangleAlert} level={1} title={title} text={text}>
        <Reload />
      </EmptyState>
    </div>
  );
}

/** The same for what would have opened over the page. */
function ErrorModal({ error, onClose }: { readonly error: unknown; readonly onClose: () => void }) {
  const { title, text } = textsOf(error);
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

function textsOf(error: unknown) {
  return error instanceof CodeLoadError ? texts.unloaded : texts.failed;
}
