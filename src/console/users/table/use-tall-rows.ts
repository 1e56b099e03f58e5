import { type RefObject, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import type { Range } from "../../lib/sparse-list.ts";
import { elementHeight, TallScroll } from "../../lib/tall-scroll.ts";

/** Rows that are rendered above and below the visible ones. */
const OVERSCAN = 12;
/** The rendered rows change in such steps, so that scrolling renders less often. */
const STEP = 4;
/** How long after the last step of scrolling the scrollbar is set to the place in the list. */
const SETTLE_MS = 200;

interface TallRowsOptions {
  readonly box: RefObject<HTMLElement | null>;
  readonly count: number;
  /** In pixels. */
  readonly rowHeight: number;
  /** Called when other rows are visible. */
  readonly onVisible: (rows: Range) => void;
}

/** Renders the visible rows of any number, all of the same height. */
export function useTallRows({ box, count, rowHeight, onVisible }: TallRowsOptions) {
  const [scroll] = useState(() => new TallScroll());
  const [rendered, setRendered] = useState({ first: 0, end: 2 * OVERSCAN, shift: 0 });
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The height of rows when the place in the list was last measured. */
  const lastHeight = useRef(rowHeight);
  const moveTo = (scrollTop: number) => {
    const element = box.current;
    if (element && Math.abs(element.scrollTop - scrollTop) >= 1) element.scrollTop = scrollTop;
  };
  /** The height of the rows that are visible below the headings. */
  const measureView = () => {
    const head = box.current?.querySelector("thead")?.getBoundingClientRect().height ?? 0;
    return Math.max(0, (box.current?.clientHeight ?? 0) - head);
  };
  const render = () => {
    const { top, shift } = scroll;
    const visible = {
      first: Math.floor(top / rowHeight),
      end: Math.ceil((top + measureView()) / rowHeight),
    };
    onVisible({ first: Math.min(visible.first, count), end: Math.min(visible.end, count) });
    const first = Math.max(0, Math.floor((visible.first - OVERSCAN) / STEP) * STEP);
    const end = Math.ceil((visible.end + OVERSCAN) / STEP) * STEP;
    setRendered((now) =>
      now.first === first && now.end === end && now.shift === shift ? now : { first, end, shift },
    );
  };
  const scrollTo = (top: number) => {
    moveTo(scroll.place(top));
    render();
  };
  const measure = useEffectEvent((height: number) => {
    // The same rows stay visible.
    const top = (scroll.top / lastHeight.current) * rowHeight;
    lastHeight.current = rowHeight;
    scroll.resize(height, measureView());
    scrollTo(Math.min(top, scroll.maxTop));
  });
  // The sizes have to be known before the first frame.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const update = () => measure(count * rowHeight);
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => {
      observer.disconnect();
      clearTimeout(settling.current);
    };
  }, [box, count, rowHeight]);
  return {
    /** The rows to render. */
    rendered: { first: rendered.first, end: Math.min(rendered.end, count) },
    /** The height of the element with the rows. */
    height: elementHeight(count * rowHeight),
    /** Where a row is in the element. */
    startOf: (index: number) => index * rowHeight - rendered.shift,
    /** The place in the list, in pixels from its beginning. */
    top: () => scroll.top,
    scrollTo,
    /** To be called after the box was scrolled. */
    onScroll() {
      moveTo(scroll.scrolled(box.current?.scrollTop ?? 0));
      render();
      clearTimeout(settling.current);
      settling.current = setTimeout(() => scrollTo(scroll.top), SETTLE_MS);
    },
  };
}
