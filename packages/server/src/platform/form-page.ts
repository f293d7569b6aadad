import { createHash } from 'node:crypto';

const STYLE = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem; }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
  input, button { padding: 0.6rem; margin: 0.4rem 0 1.2rem; }
  fieldset { border: 0; margin: 0; padding: 0; }
  [hidden] { display: none; }
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

interface FormPage {
  readonly title: string;
  readonly heading: string;
  /** HTML: a form, and whatever the script shows and hides. */
  readonly content: string;
  readonly script: string;
}

/**
 * A page that works without the dashboard: a form that its script sends to this service. It allows only its own style
 * and script. `form-action` is off, because a native submit could leak the token that the URL fragment of such a page
 * contains.
 */
export function renderFormPage({ title, heading, content, script }: FormPage): string {
  const policy = [
    `default-src 'none'`,
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(script)}`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${content}
<p role="status" aria-live="polite"></p>
</main>
<script>${script}</script>
</body>
</html>
`;
}
