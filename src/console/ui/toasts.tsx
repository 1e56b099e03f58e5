import { Toast } from "@base-ui/react/toast";
import { describeError, isSignedOut, promptIfSignedOut } from "../lib/api.ts";
import { Observable, useObservable } from "../lib/observable.ts";
import { shell } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { X } from "./icons.ts";

const manager = Toast.createToastManager();
/** The space below and above the toasts, in pixels. */
const MARGINS = 24;
/** The height in pixels that dialogs, popups and forms leave to the toasts. */
const room = new Observable(0);

interface ToastOptions {
  readonly title: string;
  readonly text?: string;
  readonly kind?: "done" | "failed";
  /** How long the toast stays. 0 means until it is closed. */
  readonly ms?: number;
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly onClose?: () => void;
}

/** Shows a toast. Returns a function that closes it. */
export function showToast({
  title,
  text,
  kind = "done",
  ms = 5000,
  action,
  onClose,
}: ToastOptions): () => void {
  const id = manager.add({
    title,
    type: kind,
    timeout: ms,
    priority: kind === "failed" ? "high" : "low",
    ...(text !== undefined && { description: text }),
    ...(onClose && { onClose }),
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          manager.close(id);
          action.run();
        },
      },
    }),
  });
  return () => manager.close(id);
}

export function showErrorToast(error: unknown): void {
  const { title, text } = describeError(error);
  showToast({ title, text, kind: "failed", ms: 10_000 });
}

/** Shows the sign-in prompt if the session has ended, and otherwise the error. For requests outside of the query client. */
export function reportError(error: unknown): void {
  promptIfSignedOut(error);
  if (!isSignedOut(error)) showErrorToast(error);
}

export function useToastRoom(): number {
  return useObservable(room);
}

function measure(toasts: HTMLElement | null) {
  if (!toasts) return;
  const observer = new ResizeObserver(() => {
    const { offsetHeight: height } = toasts;
    room.set(height === 0 ? 0 : height + MARGINS);
    document.documentElement.style.setProperty("--toast-room", `${room.get()}px`);
  });
  observer.observe(toasts);
  return () => observer.disconnect();
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport ref={measure} className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className={`toast ${toast.type ?? ""}`}
      swipeDirection={["right", "down"]}
    >
      <Toast.Content className="toast-content">
        <div className="toast-text">
          <Toast.Title className="toast-title" render={<p />} />
          <Toast.Description className="hint" />
        </div>
        {toast.actionProps && <Toast.Action className="button plain" />}
        <Toast.Close render={<Button kind="quiet" icon={<X aria-hidden />} aria-label={shell.close} />} />
      </Toast.Content>
    </Toast.Root>
  ));
}
