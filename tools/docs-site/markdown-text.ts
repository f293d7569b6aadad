import type { Html } from '../../packages/server/src/reference/html.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** Text that Markdown and the page's templates leave as it is. What stands in backticks stays code. */
export const prose = (text: string): string =>
  text
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? part : escapeText(part)))
    .join('');

const escapeText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;&#123;')
    .replace(/[*_[\]]/g, String.raw`\$&`);

/**
 * Markdown of what the reference page of the service says of a type, which is HTML of links to schemas, code and text.
 * `linkTo` says where a schema stands.
 */
export function inMarkdown({ markup }: Html, linkTo: (schema: string) => string): string {
  return markup
    .replaceAll('<wbr />', '')
    .split(/(<a href="#schema-[^"]+">[^<]*<\/a>|<code>[^<]*<\/code>)/)
    .map((part) => {
      const [, name] = /^<a href="#schema-([^"]+)">/.exec(part) ?? [];
      if (name !== undefined) return `[${name}](${linkTo(name)})`;
      const code = /^<code>([^<]*)<\/code>$/.exec(part)?.[1];
      return code === undefined ? part : codeSpan(unescape(code));
    })
    .join('');
}

const unescape = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|#39|amp);/g, (one) => ENTITIES[one] ?? one);

/** Inline code, also of text that has a backtick. */
export const codeSpan = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);
