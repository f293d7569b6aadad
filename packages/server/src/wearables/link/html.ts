import { createHash } from 'node:crypto';
import type { BrowserResponse } from '../../platform/http/serve-open.ts';

/** Trusted HTML. Everything else is escaped when it is put into a page. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
export type { Markup };

type MarkupValue = string | Markup | readonly Markup[] | undefined;

/** A template tag for HTML: values are escaped unless they are Markup. */
export const markup = (strings: TemplateStringsArray, ...pieces: MarkupValue[]): Markup =>
  new Markup(strings.map((text, index) => text + renderValue(pieces[index])).join(''));

function renderValue(piece: MarkupValue): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return escapeHtml(piece);
  return piece instanceof Markup ? piece.text : piece.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem; }
  fieldset { border: 0; margin: 0 0 1rem; padding: 0; }
  legend { font-weight: 600; padding: 0; }
  .choice { display: flex; gap: .8rem; align-items: center; padding: .7rem .2rem; border-bottom: 1px solid #8885; }
  .choice img { width: 2rem; height: 2rem; background: #fff; border: 1px solid #8885; border-radius: .4rem; }
  .choice label { flex: 1; }
  .choice small { display: block; }
  button, .button { display: inline-block; font: inherit; padding: .6rem 1.2rem; margin: .8rem .8rem 0 0; border: 0;
    border-radius: .4rem; background: #0b57d0; color: #fff; text-decoration: none; cursor: pointer; }
  button.quiet { background: #666; padding: .3rem .8rem; margin: 0 0 0 auto; }
  :focus-visible { outline: 3px solid #f90; outline-offset: 2px; }
  [role=alert] { border-left: .3rem solid #b00020; padding: .4rem .8rem; }
`;

/** Only inline styles and data: images, no scripts, no framing. */
const CONTENT_SECURITY_POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `img-src data:`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
};

interface PageParts {
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  /** The URL to which the browser goes automatically. */
  readonly goingTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const renderPage = ({
  title,
  body,
  status = 200,
  goingTo,
  headers = {},
}: PageParts): BrowserResponse => ({
  status,
  headers: { ...HEADERS, ...headers },
  text: markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${goingTo === undefined ? undefined : markup`<meta http-equiv="refresh" content="1;url=${goingTo}">`}
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text,
});

/** Redirects the browser without a referrer. */
export const redirectTo = (url: string, headers: Readonly<Record<string, string>> = {}): BrowserResponse => ({
  status: 303,
  headers: { location: url, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', ...headers },
  text: '',
});

/** Parses a form post. */
export const parseForm = (body: Buffer): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(body.toString())].map(([name, value]) => [name, value.replaceAll('\0', '')]),
  );
