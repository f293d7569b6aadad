import { headFieldAt } from './lexicon/head-fields.ts';
import { plain } from './plain.ts';
import { type Row, textOf } from './rows.ts';
import type { Page } from './word.ts';

const WORDS =
  /\b(?:lab|labs|laborator\w*|laboratoire\w*|labor|diagnostic\w*|patholog\w*|pathlab\w*|hospital\w*|clinic\w*|clinica|klinik\w*|spital|centre|center|ospedal\w*|azienda|medical|mvz|analisis|analises|analisi|biolog\w*|health|wellness|institut\w*|surgery|care|nhs)\b/;
const NOT_NAMES =
  /\b(?:report|results?|befund|laborbefund|referto|laudo|informe|director|panel|department|page|status|patient|compte rendu|accredit|certif|phone|fax|collected|comprehensive|blood count|performed|copyright)\b/;

/** The laboratory as its letterhead says: what is printed largest at the top, or speaks of laboratories. */
export function labNameOf(page: Page | undefined, rows: readonly Row[]): string | null {
  if (!page) return null;
  const usual = medianSize(page);
  let best: { text: string; score: number } | undefined;
  for (const row of rows.filter(({ box }) => box.y0 < page.height * 0.22)) {
    for (const { words } of row.segments) {
      const text = textOf(words).trim();
      const size = Math.max(...words.map((word) => word.fontSize));
      const score = scoreOf(text, size / usual) - row.box.y0 / page.height;
      if (score > 1 && score > (best?.score ?? 0)) best = { text, score };
    }
  }
  return best?.text ?? null;
}

function scoreOf(text: string, size: number): number {
  const simple = plain(text);
  const words = text.split(/\s+/);
  if (!/\p{L}{3}/u.test(text) || /[:@]|www|https?|\d{4}/.test(text) || words.length > 9) return -1;
  if (
    NOT_NAMES.test(simple) ||
    headFieldAt(words, 0)?.count === words.length ||
    (text.includes(',') && words.length < 4 && !WORDS.test(simple))
  )
    return -1;
  return (size > 1.25 ? size : 0) + (WORDS.test(simple) ? 1.6 : 0);
}

function medianSize({ words }: Page): number {
  const sizes = words.map((word) => word.fontSize).toSorted((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 10;
}
