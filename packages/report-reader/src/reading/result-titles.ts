import { classifyLine, isMethodField, isMethodText } from './line-styles.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { isGenericName, isHeaderLabel } from './lexicon/non-results.ts';
import { isAllCaps } from './text-normalization.ts';
import type { ParsedRow } from './regions.ts';
import type { PendingName, RegionContext } from './reading-state.ts';
import { joinWords } from './rows.ts';
import type { ReportWord } from './report-model.ts';

/** Most rows between a title and its result: a section title, and rows of material and method. */
const MOST_BETWEEN = 5;

/**
 * "GLICOSE" above "Resultado: 99 mg/dL": whether a row is the title of the next result, even in smaller print.
 * Material, method and one section title may be between them.
 */
export function isTitleOfNextResult(parsed: ParsedRow, { region }: RegionContext): boolean {
  const { row } = parsed;
  if (!isTitle(parsed)) return false;
  const at = region.rows.indexOf(parsed);
  for (const next of region.rows.slice(at + 1, at + 2 + MOST_BETWEEN)) {
    const [label] = next.atoms;
    const said = label?.kind === 'label' ? label.labelRole : undefined;
    const isResult = said === 'value' || (label?.kind === 'text' && isGenericName(label.text));
    if (isResult) return (label?.box.x0 ?? 0) < row.box.x0 + 3 * row.fontSize;
    if (said !== 'method' && !(isTitle(next) && isAsLarge(next, parsed))) return false;
  }
  return false;
}

/** In lines: the largest gap between two rows of a block. */
const LARGEST_GAP = 3.2;
/** Most labeled rows between the title of a block and its result. */
const MOST_LABELS = 6;

/** Whether only labeled rows, such as material, method and date, stand between a title and a result without a name. */
export function isTitleOfBlock(title: PendingName, parsed: ParsedRow, { region }: RegionContext): boolean {
  const begin = region.rows.indexOf(title.parsed);
  const end = region.rows.indexOf(parsed);
  if (begin < 0 || end - begin < 2 || end - begin > MOST_LABELS + 1) return false;
  const block = region.rows.slice(begin, end + 1);
  return (
    block.slice(1, -1).every(isBlockLabel) &&
    block.slice(1).every(({ row }, index) => {
      const gap = row.box.y0 - (block[index]?.row.box.y1 ?? 0);
      return gap < LARGEST_GAP * row.fontSize;
    })
  );
}

/** "Material: soro", "Método: ...", "Coleta: 25/02/2026", "Resultado" */
function isBlockLabel({ atoms: [first], row }: ParsedRow): boolean {
  const text = joinWords(row.words);
  return (
    (first?.kind === 'label' && first.labelRole !== 'range' && first.labelRole !== 'previous') ||
    isGenericName(text.replace(/\s*:$/, '')) ||
    (/:/.test(text) && isHeaderLabel(text.split(':')[0] ?? '')) ||
    isMethodField(row)
  );
}

/** "CREATININA" right above the headings of the next table, after a name that is not in capitals. */
export const isTitleAfterTable = (name: string, parsed: ParsedRow, { region }: RegionContext): boolean =>
  region.rows.at(-1) === parsed &&
  isTitle(parsed) &&
  isAllCaps(joinWords(parsed.row.words)) &&
  !isAllCaps(name);

/** "GLICOSE" of "EXAME: GLICOSE", which is the title of what is below it. */
export function withoutNameLabel(words: readonly ReportWord[]): ReportWord[] {
  const end = words.findIndex(({ text }) => text.endsWith(':')) + 1;
  const isLabel = end > 0 && end < words.length && matchColumnRole(joinWords(words.slice(0, end))) === 'name';
  return words.slice(isLabel ? end : 0);
}

/** A name, followed by at most its method in brackets. */
const isTitle = (parsed: ParsedRow): boolean => {
  const [name, ...behind] = parsed.row.segments;
  return (
    name !== undefined &&
    behind.every(({ words }) => /^\(.*\)$/u.test(joinWords(words))) &&
    parsed.atoms.every(({ kind }) => kind !== 'label') &&
    classifyLine(parsed) === 'heading' &&
    !isMethodText(joinWords(name.words), parsed.row, parsed.row)
  );
};

const isAsLarge = ({ row }: ParsedRow, above: ParsedRow): boolean =>
  Math.abs(row.fontSize - above.row.fontSize) < 0.05 * row.fontSize;
