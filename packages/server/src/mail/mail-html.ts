import type { MailImage } from '../adapters/mail/port.ts';
import type { MailBrand } from './schema.ts';
import { escapeHtml } from '../platform/escape-html.ts';

/** Mails of the service itself, to members of organizations. */
export const SERVICE_BRAND: MailBrand = {
  name: 'Aliquot',
  color: '#1f3a5f',
  textColor: '#ffffff',
  supportEmail: '',
  supportContact: '',
  address: '',
  logo: undefined,
};

const LOGO_CID = 'brandlogo';

interface MailBody {
  readonly html: string;
  readonly images: readonly MailImage[];
}

/** The HTML part of a mail: its text under the head of the brand. The logo is part of the mail, so no host is asked. */
export function buildMailBody(brand: MailBrand, mail: { subject: string; text: string }): MailBody {
  const { logo } = brand;
  if (!logo) return { html: mailHtml(brand, mail, undefined), images: [] };
  return { html: mailHtml(brand, mail, `cid:${LOGO_CID}`), images: [{ cid: LOGO_CID, ...logo }] };
}

/** The same as one document for a browser, with the logo inside. */
export const previewMail = (brand: MailBrand, mail: { subject: string; text: string }): string =>
  mailHtml(
    brand,
    mail,
    brand.logo && `data:${brand.logo.mediaType};base64,${brand.logo.bytes.toString('base64')}`,
  );

/** Readers that drop the style sheet show the inline styles, in light colors. */
const MAIL_STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #14171a !important; color: #e8eaed !important; }
  .card { background: #1f2327 !important; border-color: #3a4046 !important; }
  .quiet { color: #aeb4bb !important; }
  .link { color: #9ec5ff !important; }
}
`;

const PAGE =
  'margin:0;padding:24px 12px;background:#f3f4f6;color:#1f2328;font:16px/1.5 system-ui,Segoe UI,Arial,sans-serif';
const CARD =
  'max-width:560px;margin:0 auto;background:#ffffff;border:1px solid #d0d7de;border-radius:10px;overflow:hidden';
const QUIET = 'font-size:13px;color:#57606a';

function mailHtml(
  brand: MailBrand,
  { subject, text }: { subject: string; text: string },
  logoUrl: string | undefined,
): string {
  const { name, color, textColor } = brand;
  // On white, because the logo is made for paper and may have any color.
  const logo =
    logoUrl === undefined
      ? ''
      : `<img src="${escapeHtml(logoUrl)}" alt="" style="display:inline-block;vertical-align:middle;max-height:40px;max-width:180px;background:#ffffff;border-radius:6px;padding:4px;margin-right:12px">`;
  const title = name === '' ? '' : `<strong style="vertical-align:middle">${escapeHtml(name)}</strong>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${MAIL_STYLE}</style>
</head>
<body class="page" style="${PAGE}">
<div class="card" style="${CARD}">
<div style="padding:14px 20px;background:${color};color:${textColor};font-size:18px;min-height:8px">${logo}${title}</div>
<div style="padding:8px 20px 20px">
<h1 style="font-size:20px;line-height:1.3;margin:16px 0 8px">${escapeHtml(subject)}</h1>
${text
  .split(/\n{2,}/)
  .filter((part) => part.trim() !== '')
  .map((part) => paragraphHtml(part, brand))
  .join('\n')}
</div>
</div>
${footerHtml(brand)}
</body>
</html>
`;
}

const LINK = /^https?:\/\/\S+$/;
/** Facts in columns, and calls of the API. */
const isAligned = (part: string): boolean => part.split('\n').some((line) => /^ {2}|: {2,}\S/.test(line));

function paragraphHtml(part: string, { color, textColor }: MailBrand): string {
  const text = part.trimEnd();
  if (LINK.test(text)) {
    const url = escapeHtml(text);
    const button = `display:inline-block;padding:10px 18px;border-radius:8px;background:${color};color:${textColor};text-decoration:none;font-weight:600`;
    return `<p><a href="${url}" style="${button}">Open the link</a></p>
<p class="quiet" style="${QUIET};overflow-wrap:anywhere">${url}</p>`;
  }
  if (isAligned(text)) {
    return `<pre style="white-space:pre-wrap;overflow-wrap:anywhere;font:14px/1.5 ui-monospace,Consolas,monospace">${escapeHtml(text)}</pre>`;
  }
  return `<p>${text
    .split('\n')
    .map((line) => (LINK.test(line) ? linkHtml(line) : escapeHtml(line)))
    .join('<br>')}</p>`;
}

const linkHtml = (url: string): string =>
  `<a class="link" href="${escapeHtml(url)}" style="color:#0b57d0;overflow-wrap:anywhere">${escapeHtml(url)}</a>`;

function footerHtml({ supportEmail, supportContact, address }: MailBrand): string {
  const lines = [supportEmail, supportContact, ...address.split('\n')].filter((line) => line.trim() !== '');
  if (lines.length === 0) return '';
  const text = lines.map(escapeHtml).join('<br>');
  return `<p class="quiet" style="max-width:560px;margin:16px auto 0;padding:0 20px;${QUIET}">${text}</p>`;
}
