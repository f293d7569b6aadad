import { randomBytes } from 'node:crypto';
import { escapeHtml } from '../platform/escape-html.ts';

interface DashboardPage {
  /** The path below which this service is reached, without a slash at its end. */
  readonly prefix: string;
  readonly brand: string;
  readonly script: string;
  readonly style: string | null;
}

/**
 * The one HTML page of the dashboard; its script shows the view that the path names. What the script must know before
 * its first request is in `meta` elements, because an inline script is not permitted.
 */
export function renderDashboardPage({ prefix, brand, script, style }: DashboardPage): {
  readonly html: string;
  readonly policy: string;
} {
  const nonce = randomBytes(16).toString('base64');
  const asset = (name: string) => escapeHtml(`${prefix}/dashboard/assets/${name}`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="service-prefix" content="${escapeHtml(prefix)}">
<meta name="service-brand" content="${escapeHtml(brand)}">
<meta name="style-nonce" content="${nonce}">
<title>Aliquot</title>
<link rel="icon" href="data:,">
${style === null ? '' : `<link rel="stylesheet" href="${asset(style)}">`}
<script type="module" src="${asset(script)}"></script>
</head>
<body>
<noscript>The dashboard needs JavaScript. The API and the command line work without it.</noscript>
<div id="dashboard"></div>
</body>
</html>
`;
  return { html, policy: policyOf(nonce) };
}

/**
 * Nothing of another origin, no inline script, no eval. The component library adds style elements, which carry the
 * nonce. `blob:` is for documents and images of patients, which are fetched with the session and shown from memory.
 */
const policyOf = (nonce: string): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' blob: data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `frame-src blob:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
