import { headingStyle, isMethod } from './headings.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { isGeneric } from './lexicon/not-results.ts';
import { isShouted } from './plain.ts';
import type { ParsedRow } from './regions.ts';
import type { Place } from './reading-state.ts';
import { textOf } from './rows.ts';
import type { Word } from './word.ts';

/** Between a title and its result at most: the title of a section above, and lines of material and method. */
const MOST_BETWEEN = 3;

/**
 * "GLICOSE", and below it "Resultado: 99 mg/dL": the title of the next result, though in smaller print than results.
 * What the result was measured in, and a title below that of a section, may stand between.
 */
export function headsNext(parsed: ParsedRow, { region }: Place): boolean {
  const { row } = parsed;
  if (!isTitle(parsed)) return false;
  const at = region.rows.indexOf(parsed);
  for (const next of region.rows.slice(at + 1, at + 2 + MOST_BETWEEN)) {
    const [label] = next.atoms;
    const said = label?.kind === 'label' ? label.said : undefined;
    const isResult = said === 'value' || (label?.kind === 'text' && isGeneric(label.text));
    if (isResult) return (label?.box.x0 ?? 0) < row.box.x0 + 3 * row.fontSize;
    if (said !== 'method' && !(isTitle(next) && isAsLarge(next, parsed))) return false;
  }
  return false;
}

/** "CREATININA" right above the headings of the next table, below a name that is not set in capitals. */
export const endsTable = (name: string, parsed: ParsedRow, { region }: Place): boolean =>
  region.rows.at(-1) === parsed && isTitle(parsed) && isShouted(textOf(parsed.row.words)) && !isShouted(name);

/** "GLICOSE" of "EXAME: GLICOSE", which is the title of what stands below it. */
export function withoutLabel(words: readonly Word[]): Word[] {
  const end = words.findIndex(({ text }) => text.endsWith(':')) + 1;
  const isLabel = end > 0 && end < words.length && roleOfHeading(textOf(words.slice(0, end))) === 'name';
  return words.slice(isLabel ? end : 0);
}

/** A name, and behind it at most in brackets how it is measured. */
const isTitle = (parsed: ParsedRow): boolean => {
  const [name, ...behind] = parsed.row.segments;
  return (
    name !== undefined &&
    behind.every(({ words }) => /^\(.*\)$/u.test(textOf(words))) &&
    parsed.atoms.every(({ kind }) => kind !== 'label') &&
    headingStyle(parsed) === 'heading' &&
    !isMethod(textOf(name.words), parsed.row, parsed.row)
  );
};

const isAsLarge = ({ row }: ParsedRow, above: ParsedRow): boolean =>
  Math.abs(row.fontSize - above.row.fontSize) < 0.05 * row.fontSize;
