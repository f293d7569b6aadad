import { escapeHtml } from '../platform/escape-html.ts';

/** Trusted markup. Only `html` creates it, so text cannot become markup unescaped. */
export interface Html {
  readonly markup: string;
}

type HtmlContent = Html | string | number | undefined | readonly Html[];

/** A template tag for markup: escapes text, inserts `Html` unchanged, and nothing for `undefined`. */
export function html(parts: TemplateStringsArray, ...contents: readonly HtmlContent[]): Html {
  const [first = '', ...rest] = stripIndentation(parts);
  return { markup: rest.reduce((before, after, at) => before + markupOf(contents[at]) + after, first) };
}

/** Removes the indentation of the source. Cached per template. */
function stripIndentation(parts: TemplateStringsArray): readonly string[] {
  const known = strippedTemplates.get(parts);
  if (known) return known;
  const lines = parts.map((part) => part.replace(/\n\s*/g, '\n'));
  strippedTemplates.set(parts, lines);
  return lines;
}

const strippedTemplates = new WeakMap<TemplateStringsArray, readonly string[]>();

export const EMPTY_HTML: Html = { markup: '' };

export const joinHtml = (parts: readonly Html[], separator: Html): Html => ({
  markup: parts.map((part) => part.markup).join(separator.markup),
});

/** For our own style sheet and script: the only text that is not escaped. */
export const rawHtml = (text: string): Html => ({ markup: text });

function markupOf(content: HtmlContent): string {
  if (content === undefined) return '';
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escapeHtml(content);
  return 'markup' in content ? content.markup : content.map((part) => part.markup).join('');
}

/** Renders text of the document: blank lines separate paragraphs, `backticks` mark code. */
export const renderProse = (text: string | undefined): Html => ({
  markup: (text ?? '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${renderInline(paragraph)}</p>`.markup)
    .join('\n'),
});

/** Renders text without paragraphs, with `backticks` as code. */
export const renderInline = (text: string): readonly Html[] =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

/** Text for places that allow no markup. */
export const withoutBackticks = (text: string): string => text.replaceAll('`', '');

/** An id for an anchor, safe in a URL fragment without encoding. */
export const toAnchorId = (name: string, kind = ''): string => kind + name.replace(/[^\w.-]+/g, '-');
