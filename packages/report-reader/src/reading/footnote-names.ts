import { matchAnalyte } from './lexicon/analyte-limits.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { normalizeText, normalizeWords } from './text-normalization.ts';
import type { ParsedResult } from './report-model.ts';

/** "Glucose1", "Sodium(1)", "Potassium*1", and "BUN 01" of laboratories that number where a test is performed. */
const FOOTNOTE = /^(.*\p{L}[)\]]?)(?:[*†‡§#]*\d{1,2}|\s?\(\d{1,2}\)|\s?[*†‡§#]+\d{1,2}|\s0\d)$/u;

/** Words that a number behind them belongs to. */
const NUMBERED =
  /(?:vitamin\p{L}*|vit|compl[ei]m\p{L}*|fa[ck]tor\p{L}*|fa[ck]teur|fattore|fator|interleu\p{L}*|omega|apolipo\p{L}*|alpha|alfa|beta|gamma|delta|kappa|lambda|typ\p{L}?|tipo|antithromb\p{L}*|antitromb\p{L}*|protein\p{L}*|genotyp\p{L}*|geno\p{L}?ipo|virus|\p{L}*virus|herpes|antigen\p{L}*|class\p{L}?|stage|phase|day|hour|sample|part|fraction|fra[ck]tion|segment|cell\p{L}*)$/u;

/**
 * Removes footnote digits from names, as far as the name without it is a known analyte and the digit cannot belong to
 * it: "Vitamin B12", "IgG1" and "CD4" stay, and so do the numbered samples of a series.
 */
export function withoutFootnotes(lines: readonly ParsedResult[]): ParsedResult[] {
  const bare = lines.map(({ testName }) => readBareName(testName));
  const names = lines.map(({ testName }, index) => normalizeWords(bare[index] ?? testName));
  return lines.map((line, index) => {
    const name = bare[index];
    const isOnly = names.every((other, at) => at === index || other !== names[index]);
    return name !== undefined && isOnly ? { ...line, testName: name } : line;
  });
}

const SAMPLE =
  /^(?:serum|plasma|blood|urine|suero|sangre|orina|soro|sangue|urina|siero|urin|blut|s[ée]rum|sang)$/iu;

/** The name without its footnote; undefined if it has none. */
function readBareName(name: string): string | undefined {
  const bare = FOOTNOTE.exec(name)?.[1]?.trim();
  const last =
    bare
      ?.split(/[\s,/-]+/)
      .at(-1)
      ?.replaceAll(/[()[\]]/g, '') ?? '';
  if (bare === undefined || NUMBERED.test(normalizeText(last))) return undefined;
  const isKnown = hasAnalyteWord(last) || (SAMPLE.test(last) && hasAnalyteWord(bare));
  const isWord = isKnown && /^\p{L}{6,}$|^\p{Lu}?\p{Ll}{3,}$/u.test(last);
  return isWord || (last.length > 1 && matchAnalyte(bare) !== undefined) ? bare : undefined;
}
