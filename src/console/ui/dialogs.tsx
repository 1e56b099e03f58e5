import { Fragment, type ReactNode } from "react";
import { Observable, useObservable } from "../lib/observable.ts";

interface OpenDialog {
  readonly key: number;
  readonly content: ReactNode;
}

const dialogs = new Observable<readonly OpenDialog[]>([]);
let lastKey = 0;

/** Shows a dialog that outlives the view that opened it. Returns a function that closes it. */
export function openDialog(render: (close: () => void) => ReactNode): () => void {
  const key = ++lastKey;
  const close = () => dialogs.set(dialogs.get().filter((dialog) => dialog.key !== key));
  dialogs.set([...dialogs.get(), { key, content: render(close) }]);
  return close;
}

export function Dialogs() {
  return useObservable(dialogs).map(({ key, content }) => <Fragment key={key}>{content}</Fragment>);
}
