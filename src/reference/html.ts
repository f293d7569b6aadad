/** Markup that may stand in a page as it is. Only `html` makes it, so text cannot become markup unescaped. */
export interface Html {
  readonly markup: string;
}

export type Content = Html | string | number | undefined | readonly Html[];

/** A template of markup: text put into it is escaped, markup is kept, nothing for `undefined`. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const [first = '', ...rest] = flush(parts);
  return { markup: rest.reduce((before, after, at) => before + markupOf(contents[at]) + after, first) };
}

/** The indentation of our source stays in our source; each template is cleared of it once. */
function flush(parts: TemplateStringsArray): readonly string[] {
  const known = flushed.get(parts);
  if (known) return known;
  const lines = parts.map((part) => part.replace(/\n\s*/g, '\n'));
  flushed.set(parts, lines);
  return lines;
}

const flushed = new WeakMap<TemplateStringsArray, readonly string[]>();

export const nothing: Html = { markup: '' };

export const joined = (parts: readonly Html[], separator: Html): Html => ({
  markup: parts.map((part) => part.markup).join(separator.markup),
});

/** A style sheet or a script of ours; it is the only text that is not escaped. */
export const verbatim = (text: string): Html => ({ markup: text });

function markupOf(content: Content): string {
  if (content === undefined) return '';
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escaped(content);
  return 'markup' in content ? content.markup : content.map((part) => part.markup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

/** Prose of the document: blank lines part paragraphs, `backticks` mark code; no other markup is known. */
export const prose = (text: string | undefined): Html => ({
  markup: (text ?? '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`.markup)
    .join('\n'),
});

/** One run of prose, to stand inside a line. */
export const inline = (text: string): readonly Html[] =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

/** One run of prose where no markup may stand. */
export const plain = (text: string): string => text.replaceAll('`', '');

/** The id of a place on the page, safe in a link as it is. */
export const anchor = (name: string, kind = ''): string => kind + name.replace(/[^\w.-]+/g, '-');
