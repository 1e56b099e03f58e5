type Send = (url: string, init: RequestInit) => Promise<Response>;

/** The part of XMLHttpRequest that the console uses, with the requests of `send`. That of happy-dom takes no Blob of Bun. */
export function createXmlHttpRequest(send: Send) {
  return class {
    responseType = "";
    status = 0;
    statusText = "";
    response: Blob | undefined;
    onload: (() => void) | undefined;
    onerror: (() => void) | undefined;
    onabort: (() => void) | undefined;
    readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
    readonly #headers = new Headers();
    readonly #stopper = new AbortController();
    #method = "";
    #url = "";
    #received = new Headers();

    open(method: string, url: string): void {
      this.#method = method;
      this.#url = url;
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers.append(name, value);
    }

    getAllResponseHeaders(): string {
      return [...this.#received].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    }

    abort(): void {
      this.#stopper.abort();
      this.onabort?.();
    }

    async send(body: Blob): Promise<void> {
      const { signal } = this.#stopper;
      try {
        const init = { method: this.#method, headers: this.#headers, body, signal };
        const response = await send(this.#url, init);
        this.upload.onprogress?.({ loaded: body.size, total: body.size });
        this.response = await response.blob();
        this.status = response.status;
        this.statusText = response.statusText;
        this.#received = response.headers;
        this.onload?.();
      } catch {
        if (!signal.aborted) this.onerror?.();
      }
    }
  };
}
