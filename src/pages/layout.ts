import { assetPaths } from "./assets.ts";
import { type Html, html } from "./html.ts";
import { sampleOrigin } from "./samples.ts";

/** The frame of every page. The Content-Security-Policy allows no inline script and no inline style. */
export function page(title: string, body: Html): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${assetPaths.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPaths.style}">
<script type="module" blocking="render" src="${assetPaths.script}"></script>
</head>
<body data-sample-origin="${sampleOrigin}">
<a class="skip" href="#content">Skip to content</a>
${body}
</body>
</html>
`);
}

export function brand(note: string): Html {
  return html`<a class="brand" href="/docs"><img src="${assetPaths.icon}" alt="" width="28" height="28">Roster <span>${note}</span></a>`;
}
