/**
 * Sends requests like `fetch`, and reports which share of the body has been sent, from 0 to 1. The response arrives as a whole.
 * Browsers tell the progress only to an XMLHttpRequest.
 */
export function sendWithProgress(onProgress: (share: number) => void) {
  return async (request: Request): Promise<Response> => {
    const body = await request.blob();
    return new Promise((resolve, reject) => {
      const { signal } = request;
      const call = new XMLHttpRequest();
      call.open(request.method, request.url);
      call.responseType = "blob";
      for (const [name, value] of request.headers) call.setRequestHeader(name, value);
      call.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 1);
      call.onload = () => {
        const { status, statusText } = call;
        const received: unknown = call.response;
        const headers = parseHeaders(call.getAllResponseHeaders());
        resolve(new Response(received instanceof Blob ? received : null, { status, statusText, headers }));
      };
      call.onerror = () => reject(new TypeError("The request failed."));
      call.onabort = () => reject(signal.reason);
      signal.addEventListener("abort", () => call.abort(), { once: true });
      if (signal.aborted) reject(signal.reason);
      else call.send(body);
    });
  };
}

function parseHeaders(text: string): Headers {
  const headers = new Headers();
  for (const line of text.split("\r\n")) {
    const [name = "", ...value] = line.split(":");
    if (name !== "") headers.append(name, value.join(":").trim());
  }
  return headers;
}
