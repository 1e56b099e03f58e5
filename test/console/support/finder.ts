import type { Locator } from "playwright-core";

export type Role = Parameters<Locator["getByRole"]>[0];

export interface RoleOptions {
  readonly name?: string | RegExp;
  readonly exact?: boolean;
  readonly checked?: boolean;
  readonly level?: number;
}

export interface LabelOptions {
  readonly exact?: boolean;
}

export type TextOptions = LabelOptions;

export interface WaitOptions {
  readonly state?: "attached" | "detached" | "visible" | "hidden";
}

export interface FileToChoose {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer<ArrayBuffer>;
}

/** What helpers need of a page. */
export interface FinderPage<Self> {
  getByRole(role: Role, options?: RoleOptions): Self;
  locator(selector: string): Self;
}

/** The part of Playwright's locators that exists without a browser, too. */
export interface Finder<Self> extends FinderPage<Self> {
  page(): FinderPage<Self>;
  getByLabel(label: string | RegExp, options?: LabelOptions): Self;
  getByText(text: string | RegExp, options?: TextOptions): Self;
  and(other: Self): Self;
  first(): Self;
  last(): Self;
  click(): Promise<void>;
  fill(value: string): Promise<void>;
  check(): Promise<void>;
  selectOption(option: string): Promise<unknown>;
  setInputFiles(file: FileToChoose): Promise<void>;
  waitFor(options?: WaitOptions): Promise<void>;
  count(): Promise<number>;
  isVisible(): Promise<boolean>;
  isEditable(): Promise<boolean>;
  inputValue(): Promise<string>;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
  getAttribute(name: string): Promise<string | null>;
}
