import { escapeHtml } from '../platform/escape-html.ts';

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

/** A style sheet. It must contain nothing that a user or a team wrote, except validated colors. */
export const styleElement = (css: string): Markup => new Markup(`<style>${css}</style>`);

function renderValue(piece: MarkupValue): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return escapeHtml(piece);
  return piece instanceof Markup ? piece.text : piece.map(({ text }) => text).join('');
}

/** Parses a form post. */
export const parseForm = (body: Buffer): Record<string, string> =>
  Object.fromEntries(
    [...new URLSearchParams(body.toString())].map(([name, value]) => [name, value.replaceAll('\0', '')]),
  );
