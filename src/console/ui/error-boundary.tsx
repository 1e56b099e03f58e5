import { TriangleAlert } from "lucide-react";
import { Component, type FunctionComponent, lazy, type ReactNode, Suspense } from "react";
import { shell, broken as texts } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { Modal } from "./modal.tsx";
import { EmptyState } from "./states.tsx";

interface BoundaryProps {
  readonly children: ReactNode;
  /** Where one is: whoever goes elsewhere is shown what is there. */
  readonly at?: string;
  /** What stands in the place of what broke: a message that fills it unless given. */
  readonly instead?: (error: unknown) => ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | undefined;
}

/** Keeps what breaks from taking the rest of the page with it. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: undefined };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (this.state.failure && before.at !== this.props.at) this.setState({ failure: undefined });
  }

  override render() {
    const { children, instead = (error) => <Broken error={error} /> } = this.props;
    return this.state.failure ? instead(this.state.failure.error) : children;
  }
}

interface OverProps {
  readonly children: ReactNode;
  /** Nobody wants it any more. */
  readonly onClose: () => void;
}

/** What opens over the page, once it is here; if it breaks, the page beneath stays as it is. */
export function Over({ children, onClose }: OverProps) {
  return (
    <Boundary instead={(error) => <BrokenModal error={error} onClose={onClose} />}>
      <Suspense>{children}</Suspense>
    </Boundary>
  );
}

/** What is fetched when it is first shown. */
export function lazyComponent<Props extends object>(load: () => Promise<{ default: FunctionComponent<Props> }>) {
  return lazy(() =>
    load().catch((cause) => {
      throw new Unloaded(cause);
    }),
  );
}

/** No answer; or the service has been replaced since the page was opened, and has no such file any more. */
class Unloaded extends Error {
  constructor(cause: unknown) {
    super("A part of the console could not be loaded.", { cause });
  }
}

/** In the place of what broke. */
function Broken({ error }: { readonly error: unknown }) {
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
function BrokenModal({ error, onClose }: { readonly error: unknown; readonly onClose: () => void }) {
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
  return error instanceof Unloaded ? texts.unloaded : texts.failed;
}
