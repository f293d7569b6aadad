import { isGrade, isHeaderLabel, measureNameSentenceShare } from './lexicon/non-results.ts';
import { dateLength } from './dates.ts';
import { matchHeaderField } from './lexicon/header-labels.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { hasMethodWord } from './lexicon/methods.ts';
import { normalizeWords } from './text-normalization.ts';
import type { ParsedRow } from './regions.ts';
import { type TextRow, joinWords } from './rows.ts';

type LineStyle = 'heading' | 'specimen' | 'sentence' | 'other';

const SPECIMEN =
  /^\W*(?:specimen|sample|sample type|specimen type|material|muestra|amostra|campione|probe|probenmaterial|untersuchungsmaterial|nature du prelevement|echantillon|tipo de muestra)\s*[:=]/i;

/** Classifies a row without a value. */
export function classifyLine({ row, atoms }: ParsedRow): LineStyle {
  const text = joinWords(row.words);
  const words = normalizeWords(text).split(' ');
  if (SPECIMEN.test(text)) return 'specimen';
  if (isSampleDateLine(row) || isMethodField(row)) return 'other';
  if (atoms[0]?.kind === 'label' && atoms[0].labelRole !== 'value') return 'other';
  if (
    words.length > 11 ||
    (words.length > 5 && measureNameSentenceShare(text) > 0.3) ||
    (/[.;]$/.test(text.trim()) && words.length > 5)
  )
    return 'sentence';
  // "Urinalysis, Routine; RPR" is a list of ordered tests, not a heading.
  if (/\p{L}\)?;\s*\p{L}/u.test(text) && (text.match(/[;,]/g)?.length ?? 0) > 2) return 'other';
  const label = text.split(':')[0] ?? '';
  const isTitled = matchColumnRole(label) === 'name' && !/\d{4}/.test(text);
  if (/:\s*\S/.test(text) && isHeaderLabel(label) && !isTitled) return 'other';
  if (!/\p{L}{2}|(?:\p{L}\.){2}/u.test(text) || isGrade(text) || matchColumnRole(text) === 'range')
    return 'other';
  if (/\b(?:page|seite|p[aá]gina|pagina)\b\s*\d|https?:|www\.|@/i.test(text)) return 'other';
  if (atoms.some((atom) => atom.kind === 'date')) return 'other';
  return 'heading';
}

/** "Método......: Enzimático", whose dots are gone. */
export const isMethodField = ({ segments: [label, ...others] }: TextRow): boolean =>
  label !== undefined && others.length > 0 && matchColumnRole(joinWords(label.words)) === 'method';

/** "Collected on 3 May 2024, specimen: blood, ...": sample dates below a panel title do not end the panel. */
function isSampleDateLine({ words }: TextRow): boolean {
  const texts = words.map(({ text }) => text);
  const label = matchHeaderField(texts, 0);
  return label !== undefined && SAMPLE_DATES.has(label.field) && dateLength(texts, label.count) > 0;
}

const SAMPLE_DATES: ReadonlySet<string> = new Set(['collected', 'received', 'reported']);

/** Whether a row under a result names its method: in brackets, in small print, or by its words. */
export function isMethodText(text: string, row: TextRow, resultRow: TextRow): boolean {
  const isSmall = row.fontSize < 0.9 * resultRow.fontSize;
  const inBrackets = /^[([].*[)\]]$/.test(text.trim());
  const words = normalizeWords(text).split(' ').length;
  if (words > 9) return false;
  return (
    isSmall ||
    (inBrackets && words < 8) ||
    /^\W*(?:method|m[ée]todo|methode|m[ée]thode|technique|t[ée]cnica|metodo)\b/i.test(text) ||
    (hasMethodWord(text) && words < 6 && /^[(\p{Ll}]/u.test(text))
  );
}

/** Whether a row may be a note under a result. */
export const isNoteText = (text: string): boolean => /\p{L}{3}/u.test(text) && text.length < 300;
