/** Browsers limit the height of an element: Firefox to 17.9 million pixels. */
const MAX_HEIGHT = 15_000_000;
/** So near to the beginning and the end, one pixel of the scrollbar is one pixel of the content. */
const EDGE = 50_000;

/** The height of the element for content of this height. */
export const elementHeight = (height: number) => Math.min(height, MAX_HEIGHT);

/**
 * Scrolls content of any height in an element of limited height. Small steps, such as those of a wheel, move the content by as many
 * pixels. A jump, such as a drag of the scrollbar, moves it in proportion. All sizes are in pixels.
 */
export class TallScroll {
  #height = 0;
  #view = 0;
  #scrollTop = 0;
  /** How much further the content is scrolled than the element. */
  #shift = 0;

  /** Sets the height of the content, and of the part that is visible. `place` has to follow. */
  resize(height: number, view: number): void {
    this.#height = height;
    this.#view = view;
  }

  /** The height of the element. */
  get height(): number {
    return elementHeight(this.#height);
  }

  /** Where the visible part of the content begins. */
  get top(): number {
    return this.#scrollTop + this.#shift;
  }

  /** Where the visible part begins at the end of the content. */
  get maxTop(): number {
    return Math.max(0, this.#height - this.#view);
  }

  get shift(): number {
    return this.#shift;
  }

  /** After the element was scrolled. Returns where to scroll it to, so that there is room in both directions. */
  scrolled(scrollTop: number): number {
    const isJump = Math.abs(scrollTop - this.#scrollTop) > this.#view;
    this.#scrollTop = scrollTop;
    if (this.#height <= MAX_HEIGHT) return scrollTop;
    if (isJump) {
      const part = Math.min(1, scrollTop / this.#maxScrollTop);
      this.#shift = Math.round(part * (this.#height - MAX_HEIGHT));
      return scrollTop;
    }
    const isAtStart = scrollTop < this.#view && this.#shift > 0;
    const isAtEnd = scrollTop > this.#maxScrollTop - this.#view && this.#shift < this.#height - MAX_HEIGHT;
    return isAtStart || isAtEnd ? this.place(this.top) : scrollTop;
  }

  /** Shows the content from `top` on. Returns where to scroll the element to: the scrollbar then shows where the content is. */
  place(top: number): number {
    const hidden = this.#height - this.height;
    if (top <= EDGE) this.#shift = 0;
    else if (top >= this.maxTop - EDGE) this.#shift = hidden;
    else this.#shift = Math.round((top / this.maxTop) * hidden);
    this.#scrollTop = top - this.#shift;
    return this.#scrollTop;
  }

  get #maxScrollTop(): number {
    return Math.max(0, this.height - this.#view);
  }
}
