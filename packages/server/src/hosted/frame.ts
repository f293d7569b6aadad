import { createHash } from 'node:crypto';
import type { Brand } from '../identity/management/management.ts';
import type { Config } from '../platform/config.ts';
import type { BrowserRequest, BrowserResponse } from '../platform/http/serve-open.ts';
import { publicPath } from '../platform/public-url.ts';
import { chooseLanguage, LANGUAGES, translator, type PageLanguage, type Translate } from './languages.ts';
import { markup, styleElement, type Markup } from './markup.ts';
import { STYLE } from './style.ts';

/** A brand, with the team's logo if it has one. */
type PageBrand = Brand & {
  readonly logo?: { readonly mediaType: string; readonly bytes: Buffer } | undefined;
};

/** What all pages of one visit share. */
export interface PageView {
  readonly language: PageLanguage;
  readonly t: Translate;
  /** Undefined where the team is not known, as for an invalid link. */
  readonly brand?: PageBrand | undefined;
  readonly isSandbox?: boolean;
  /** The path of this page without its language, for the language menu. Without it, there is no menu. */
  readonly path?: string | undefined;
}

/** The view of a visit, in the language of its form or query, else of its browser. */
export function viewOf(
  { query, headers }: Pick<BrowserRequest, 'query' | 'headers'>,
  chosen?: string,
): PageView {
  const language = chooseLanguage(chosen ?? query['lang'], headers);
  return { language, t: translator(language) };
}

/** The path of a page of this service as browsers see it, also behind a path prefix. */
export const pagePath = (
  config: Config,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return `${publicPath(config, path)}${search === '' ? '' : `?${search}`}`;
};

const DEFAULT_COLORS = { color: '#1f3a5f', textColor: '#ffffff' };

/** Only our style and data: images; no scripts, no framing. */
const contentSecurityPolicy = (css: string): string =>
  [
    `default-src 'none'`,
    `style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`,
    `img-src data:`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
};

interface PageParts {
  readonly view: PageView;
  readonly title: string;
  readonly body: Markup;
  readonly status?: number;
  /** The URL to which the browser goes automatically. */
  readonly goingTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function renderPage(page: PageParts): BrowserResponse {
  const { view, title, body, status = 200, goingTo, headers = {} } = page;
  // Both are `#rrggbb`: readBrand validates what the team entered.
  const { color, textColor } = view.brand ?? DEFAULT_COLORS;
  const css = `:root { --brand: ${color}; --brand-text: ${textColor}; }${STYLE}`;
  const name = view.brand?.name ?? '';
  return {
    status,
    headers: {
      ...HEADERS,
      'content-language': view.language,
      'content-security-policy': contentSecurityPolicy(css),
      ...headers,
    },
    text: markup`<!doctype html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${goingTo === undefined ? undefined : markup`<meta http-equiv="refresh" content="1;url=${goingTo}">`}
<title>${name === '' ? title : `${title} – ${name}`}</title>
${styleElement(css)}
</head>
<body>
<header class="top"><div>${brandHeader(view)}</div></header>
<main><div class="card">
<h1>${title}</h1>
${body}
</div></main>
${pageFooter(view)}
</body>
</html>
`.text,
  };
}

const LOGO_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']);

function brandHeader({ brand, isSandbox, t }: PageView): Markup {
  const { logo, name = '' } = brand ?? {};
  const image =
    logo && LOGO_TYPES.has(logo.mediaType)
      ? markup`<img src="data:${logo.mediaType};base64,${logo.bytes.toString('base64')}" alt="">`
      : undefined;
  const test = isSandbox === true ? markup`<span class="test">${t('frame.sandbox')}</span>` : undefined;
  return markup`${image}${name === '' ? undefined : markup`<b>${name}</b>`}${test}`;
}

function pageFooter(view: PageView): Markup {
  const { brand, t } = view;
  const contacts = [
    ...(brand?.supportEmail
      ? [markup`<a href="mailto:${brand.supportEmail}">${brand.supportEmail}</a>`]
      : []),
    ...(brand?.supportContact ? [markup`<span>${brand.supportContact}</span>`] : []),
  ];
  const support = contacts.flatMap((one, at) => (at === 0 ? [one] : [markup` · `, one]));
  return markup`<footer>
${support.length === 0 ? undefined : markup`<p>${t('frame.support')} ${support}</p>`}
${brand?.address ? markup`<address>${brand.address}</address>` : undefined}
${languageMenu(view)}
</footer>`;
}

function languageMenu({ language, path, t }: PageView): Markup | undefined {
  if (path === undefined) return undefined;
  const items = (Object.entries(LANGUAGES) as [PageLanguage, string][]).map(([code, name]) => {
    const current = code === language ? markup` aria-current="true"` : undefined;
    const url = `${path}${path.includes('?') ? '&' : '?'}lang=${code}`;
    return markup`<li><a href="${url}" lang="${code}" hreflang="${code}" rel="nofollow"${current}>${name}</a></li>
`;
  });
  return markup`<nav aria-label="${t('frame.language')}"><ul>
${items}</ul></nav>`;
}

/** Redirects the browser without a referrer. */
export const redirectTo = (url: string, headers: Readonly<Record<string, string>> = {}): BrowserResponse => ({
  status: 303,
  headers: { location: url, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', ...headers },
  text: '',
});

/** The hidden field that keeps the language through a form. */
export const languageField = ({ language }: PageView): Markup =>
  markup`<input type="hidden" name="lang" value="${language}">`;
