import { createHash } from 'node:crypto';

/** The look of the dashboard's sign-in, which is the next page that its reader sees. */
const STYLE = `
  :root { color-scheme: light dark; --text: #1f2328; --dim: #545b64; --line: #d0d5dd; --card: #fff; --page: #f8f9fa; --accent: #434dd1; --on: #fff; }
  @media (prefers-color-scheme: dark) {
    :root { --text: #e6e6e6; --dim: #b0b3b8; --line: #424242; --card: #2e2e2e; --page: #242424; --accent: #bcc0f8; --on: #1a1b1e; }
  }
  * { box-sizing: border-box; }
  body { font: 0.875rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0; padding: 1rem;
    min-height: 100vh; display: grid; place-items: center; }
  main { width: 25rem; max-width: 100%; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
  h1 { font-size: 1.5rem; font-weight: 600; line-height: 1.3; margin: 0 0 1rem; }
  p { margin: 1rem 0 0; }
  label { display: block; font-weight: 500; margin-bottom: 0.25rem; }
  input, button { display: block; width: 100%; font: inherit; min-height: 2.25rem; padding: 0.4rem 0.75rem; border-radius: 8px; }
  input { color: inherit; background: var(--card); border: 1px solid var(--line); margin-bottom: 1rem; }
  button { color: var(--on); background: var(--accent); border: 0; font-weight: 600; cursor: pointer; }
  button:disabled { opacity: 0.6; }
  a { color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  fieldset { border: 0; margin: 0; padding: 0; }
  [role=status]:empty { display: none; }
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
