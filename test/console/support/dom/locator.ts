import type { Element, HTMLElement, Window } from "happy-dom";
import { until } from "../../../support/until.ts";
import type {
  FileToChoose,
  Finder,
  LabelOptions,
  Role,
  RoleOptions,
  TextOptions,
  WaitOptions,
} from "../finder.ts";
import { candidatesFor, isHidden, isNotRendered, labelOf, nameOf, normalize, roleOf } from "./roles.ts";

/** Finds elements of a window as Playwright's locators do: again with each use, and an action waits for its element. */
export class DomLocator implements Finder<DomLocator> {
  readonly #window: Window;
  readonly #find: () => readonly HTMLElement[];
  readonly #description: string;

  constructor(window: Window, find: () => readonly HTMLElement[], description: string) {
    this.#window = window;
    this.#find = find;
    this.#description = description;
  }

  /** The whole document, with dialogs and toasts. */
  page(): DomLocator {
    return documentOf(this.#window);
  }

  getByRole(role: Role, { name, exact, checked, level }: RoleOptions = {}): DomLocator {
    return this.#below(
      (element) =>
        roleOf(element) === role &&
        (level === undefined || element.tagName === `H${level}`) &&
        (checked === undefined || isChecked(element) === checked) &&
        (name === undefined || matches(nameOf(element), name, exact)) &&
        !isHidden(element),
      `the ${role} ${name ?? ""}`,
      candidatesFor(role),
    );
  }

  getByLabel(label: string | RegExp, { exact }: LabelOptions = {}): DomLocator {
    return this.#below(
      (element) => matches(labelOf(element), label, exact),
      `the control labelled ${label}`,
      "input, select, textarea, [aria-label], [aria-labelledby]",
    );
  }

  getByText(text: string | RegExp, { exact }: TextOptions = {}): DomLocator {
    const has = (element: Element) => matches(normalize(element.textContent), text, exact);
    // Only elements around the text have a child with it.
    const innermost = (element: HTMLElement): HTMLElement[] => {
      if (!exact && !(text instanceof RegExp) && !has(element)) return [];
      const found = childrenOf(element, this.#window).flatMap(innermost);
      return found.length > 0 || !has(element) || isNotRendered(element) ? found : [element];
    };
    return new DomLocator(
      this.#window,
      () => this.#find().flatMap(innermost),
      `the text ${text} in ${this.#description}`,
    );
  }

  locator(selector: string): DomLocator {
    return this.#below(() => true, selector, selector);
  }

  and(other: DomLocator): DomLocator {
    const find = () => {
      const others = new Set(other.#find());
      return this.#find().filter((element) => others.has(element));
    };
    return new DomLocator(this.#window, find, `${this.#description} and ${other.#description}`);
  }

  first(): DomLocator {
    return new DomLocator(this.#window, () => this.#find().slice(0, 1), `the first of ${this.#description}`);
  }

  last(): DomLocator {
    return new DomLocator(this.#window, () => this.#find().slice(-1), `the last of ${this.#description}`);
  }

  async click(): Promise<void> {
    const element = await this.#one();
    press(this.#window, element);
    await rendered();
  }

  /** Enters a text in place of the present one. */
  async fill(value: string): Promise<void> {
    const element = await this.#one();
    element.focus();
    // React overrides the property of the element, to notice changes by scripts.
    Reflect.set(Object.getPrototypeOf(element), "value", value, element);
    element.dispatchEvent(new this.#window.Event("input", { bubbles: true }));
    await rendered();
  }

  async check(): Promise<void> {
    if (!isChecked(await this.#one())) await this.click();
    await until(
      () => this.#find().some(isChecked),
      () => `${this.#description} is checked`,
    );
  }

  /** Chooses the option with this label or value. */
  async selectOption(wanted: string): Promise<void> {
    const element = await this.#one();
    const options = [...element.querySelectorAll("option")];
    const option = options.find(
      ({ value, textContent }) => value === wanted || textContent.trim() === wanted,
    );
    if (!option) throw new Error(`${this.#description} has no option ${wanted}.`);
    Reflect.set(Object.getPrototypeOf(element), "value", option.value, element);
    for (const type of ["input", "change"]) {
      element.dispatchEvent(new this.#window.Event(type, { bubbles: true }));
    }
    await rendered();
  }

  /** Chooses a file. */
  async setInputFiles({ name, buffer }: FileToChoose): Promise<void> {
    const element = await this.#one();
    const files = [new File([buffer], name)];
    Object.defineProperty(element, "files", { value: files, configurable: true });
    element.dispatchEvent(new this.#window.Event("change", { bubbles: true }));
    await rendered();
  }

  async waitFor({ state = "visible" }: WaitOptions = {}): Promise<void> {
    await until(
      () => {
        const found = this.#find();
        if (state === "attached") return found.length > 0;
        if (state === "detached") return found.length === 0;
        const visible = found.filter((element) => !isNotRendered(element));
        return state === "visible" ? visible.length > 0 : visible.length === 0;
      },
      () =>
        `${this.#description} is ${state}. The page: ${normalize(this.#window.document.body.textContent)}`,
    );
  }

  async count(): Promise<number> {
    return this.#find().length;
  }

  async isVisible(): Promise<boolean> {
    return this.#find().some((element) => !isNotRendered(element));
  }

  async isEditable(): Promise<boolean> {
    const element = await this.#one();
    return !element.hasAttribute("disabled") && !element.hasAttribute("readonly");
  }

  /** Whether the element has the focus. */
  async isFocused(): Promise<boolean> {
    return (await this.#one()) === this.#window.document.activeElement;
  }

  async inputValue(): Promise<string> {
    return String(Reflect.get(await this.#one(), "value"));
  }

  async textContent(): Promise<string> {
    return (await this.#one()).textContent;
  }

  async allTextContents(): Promise<string[]> {
    return this.#find().map(({ textContent }) => textContent);
  }

  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name);
  }

  #below(isWanted: (element: HTMLElement) => boolean, description: string, selector: string): DomLocator {
    const find = () => {
      const candidates = this.#find().flatMap((parent) => [...parent.querySelectorAll(selector)]);
      return [...new Set(candidates)]
        .filter((element): element is HTMLElement => element instanceof this.#window.HTMLElement)
        .filter(isWanted);
    };
    return new DomLocator(this.#window, find, `${description} in ${this.#description}`);
  }

  /** Waits for the only element. Its control is enabled. */
  #one(): Promise<HTMLElement> {
    return until(
      () => {
        const [element, ...others] = this.#find();
        if (others.length > 0) throw new Error(`More than one element: ${this.#description}`);
        return element && !element.hasAttribute("disabled") ? element : undefined;
      },
      () => `${this.#description} exists. The page: ${normalize(this.#window.document.body.textContent)}`,
    );
  }
}

export function documentOf(window: Window): DomLocator {
  return new DomLocator(window, () => [window.document.documentElement], "the page");
}

const childrenOf = (element: HTMLElement, window: Window) =>
  [...element.children].filter((child): child is HTMLElement => child instanceof window.HTMLElement);

function isChecked(element: Element): boolean {
  return element.getAttribute("aria-checked") === "true" || Reflect.get(element, "checked") === true;
}

function matches(text: string, wanted: string | RegExp, exact = false): boolean {
  if (text === "") return false;
  if (wanted instanceof RegExp) return wanted.test(text);
  return exact ? text === normalize(wanted) : text.toLowerCase().includes(normalize(wanted).toLowerCase());
}

/** The events of a click with a mouse. */
function press(window: Window, element: HTMLElement): void {
  const options = { bubbles: true, cancelable: true, composed: true, button: 0, detail: 1 };
  const pointer = { ...options, pointerType: "mouse", isPrimary: true };
  element.dispatchEvent(new window.PointerEvent("pointerdown", { ...pointer, buttons: 1 }));
  if (element.dispatchEvent(new window.MouseEvent("mousedown", { ...options, buttons: 1 }))) {
    const focusable = element.closest("a[href], button, input, select, textarea, [tabindex]");
    if (focusable instanceof window.HTMLElement) focusable.focus();
  }
  element.dispatchEvent(new window.PointerEvent("pointerup", pointer));
  element.dispatchEvent(new window.MouseEvent("mouseup", options));
  element.dispatchEvent(new window.MouseEvent("click", options));
}

/** React renders after the event, before timers. */
const rendered = () => Bun.sleep(0);
