import { isGrade, isHeadLabel, sentenceShareOfName } from './lexicon/not-results.ts';
import { dateLength } from './dates.ts';
import { headFieldAt } from './lexicon/head-fields.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { hasMethodWord } from './lexicon/methods.ts';
import { bare } from './plain.ts';
import type { ParsedRow } from './regions.ts';
import { type Row, textOf } from './rows.ts';

export type TextStyle = 'heading' | 'specimen' | 'sentence' | 'other';

const SPECIMEN =
  /^\W*(?:specimen|sample|sample type|specimen type|material|muestra|amostra|campione|probe|probenmaterial|untersuchungsmaterial|nature du prelevement|echantillon|tipo de muestra)\s*[:=]/i;

/** What kind of text a line without a value is. */
export function headingStyle({ row, atoms }: ParsedRow): TextStyle {
  const text = textOf(row.words);
  const words = bare(text).split(' ');
  if (SPECIMEN.test(text)) return 'specimen';
  if (isDated(row)) return 'other';
  if (atoms[0]?.kind === 'label' && atoms[0].said !== 'value') return 'other';
  if (
    words.length > 11 ||
    (words.length > 5 && sentenceShareOfName(text) > 0.3) ||
    (/[.;]$/.test(text.trim()) && words.length > 5)
  )
    return 'sentence';
  // "Urinalysis, Routine; RPR" lists what was ordered, and heads nothing.
  if (/\p{L}\)?;\s*\p{L}/u.test(text) && (text.match(/[;,]/g)?.length ?? 0) > 2) return 'other';
  const label = text.split(':')[0] ?? '';
  const isTitled = roleOfHeading(label) === 'name' && !/\d{4}/.test(text);
  if (/:\s*\S/.test(text) && isHeadLabel(label) && !isTitled) return 'other';
  if (!/\p{L}{2}|(?:\p{L}\.){2}/u.test(text) || isGrade(text) || roleOfHeading(text) === 'range')
    return 'other';
  if (/\b(?:page|seite|p[aá]gina|pagina)\b\s*\d|https?:|www\.|@/i.test(text)) return 'other';
  if (atoms.some((atom) => atom.kind === 'date')) return 'other';
  return 'heading';
}

/** "Collected on 3 May 2024, specimen: blood, resulted on ...": what stands below the title of a panel ends nothing. */
function isDated({ words }: Row): boolean {
  const texts = words.map(({ text }) => text);
  const label = headFieldAt(texts, 0);
  return label !== undefined && OF_SAMPLES.has(label.field) && dateLength(texts, label.count) > 0;
}

const OF_SAMPLES: ReadonlySet<string> = new Set(['collected', 'received', 'reported']);

/** A line under a result that says how it was measured: in brackets, in small print, or by its words. */
export function isMethod(text: string, row: Row, resultRow: Row): boolean {
  const isSmall = row.fontSize < 0.9 * resultRow.fontSize;
  const inBrackets = /^[([].*[)\]]$/.test(text.trim());
  const words = bare(text).split(' ').length;
  if (words > 9) return false;
  return (
    isSmall ||
    (inBrackets && words < 8) ||
    /^\W*(?:method|m[ée]todo|methode|m[ée]thode|technique|t[ée]cnica|metodo)\b/i.test(text) ||
    (hasMethodWord(text) && words < 6 && /^[(\p{Ll}]/u.test(text))
  );
}

/** A line that may stand as a note under a result. */
export const isNote = (text: string): boolean => /\p{L}{3}/u.test(text) && text.length < 300;
