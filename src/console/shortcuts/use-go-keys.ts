import { useEffect, useEffectEvent } from "react";
import { useLocation } from "wouter";
import { usableViews } from "../app/views.ts";
import { findContent } from "../lib/content.ts";
import type { CurrentSession } from "../lib/session.ts";
import { goKey } from "../texts/shortcuts.ts";
import { isForShortcuts } from "./use-shortcuts.ts";

/** How long the first key waits for the second one. */
const WAIT_MS = 1500;

/** G and the key of a view go to the view, if the session can use it. */
export function useGoKeys(session: CurrentSession): void {
  const [, navigate] = useLocation();
  const goTo = useEffectEvent((key: string) => {
    const view = usableViews(session).find((each) => each.key === key);
    if (view) {
      navigate(view.path);
      findContent()?.focus({ preventScroll: true });
    }
    return view !== undefined;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      timer = undefined;
    };
    const press = (event: KeyboardEvent) => {
      const isWaiting = timer !== undefined;
      end();
      if (event.shiftKey || event.repeat || !isForShortcuts(event)) return;
      const key = event.key.toLowerCase();
      if (isWaiting && goTo(key)) {
        event.preventDefault();
        // The key may be a shortcut of its own.
        event.stopImmediatePropagation();
      } else if (key === goKey) timer = setTimeout(end, WAIT_MS);
    };
    // Before the shortcuts of views.
    addEventListener("keydown", press, { capture: true });
    return () => {
      end();
      removeEventListener("keydown", press, { capture: true });
    };
  }, []);
}
