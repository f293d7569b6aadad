import type { Atom, AtomKind } from './atom.ts';
import { flagLength, isBullet, isListBullet, isDirectionSign } from './lexicon/flags.ts';
import { matchHeadingAt, matchColumnRole, type ColumnRole } from './lexicon/column-headings.ts';
import { fixedNameLength } from './lexicon/analytes.ts';
import { qualitativeLength } from './lexicon/qualitative-results.ts';
import type { ReportColumn } from './columns.ts';
import { dateLength } from './dates.ts';
import { readNumber, type DecimalSign } from './numbers.ts';
import { withoutConnectives } from './connectives.ts';
import { scopedRangeLength, thresholdLength, withRangeLabel, withValueLabel } from './labeled-ranges.ts';
import { intervalLength, isComparedInWords } from './range-text.ts';
import { type TextRow, joinWords } from './rows.ts';
import { splitGluedWords } from './glued-words.ts';
import { withPowers } from './powers.ts';
import { withEndedLabels } from './row-labels.ts';
import { withoutRangeScale } from './range-scale.ts';
import { isUnit, unitLength } from './units.ts';
import { appendWords, withDurations, withWholeName } from './whole-names.ts';
import { type ReportWord, uniteBoxes } from './report-model.ts';

export type { Atom, AtomKind };

/** Splits a row into atoms by their form; known columns help to recognize remarks. */
export function tokenizeRow(row: TextRow, sign: DecimalSign, columns: readonly ReportColumn[] = []): Atom[] {
  const atoms: Atom[] = [];
  splitGluedWords(row, sign).forEach((words, index) => {
    if (row.isWhole && index === 0) return void atoms.push({ ...appendWords(EMPTY, words), kind: 'text' });
    const before = atoms.at(-1);
    const said = before?.kind === 'label' ? before.labelRole : undefined;
    atoms.push(...tokenizeSegment(words, { segment: index, sign, labelRole: said }));
  });
  const whole = withWholeName(
    withDurations(withPowers(withoutConnectives(withWholeRemarks(withEndedLabels(atoms), columns)))),
  );
  return withoutRangeScale(withValueLabel(withRangeLabel(whole)));
}

/** In points: alignment tolerance between a cell and its heading. */
const ALIGNED = 3;

/** "1 in 25 to 1 in 242" below "Risk" is one remark; none of its numbers is the result. */
function withWholeRemarks(atoms: readonly Atom[], columns: readonly ReportColumn[]): readonly Atom[] {
  const others = columns.filter(({ role }) => role === 'other');
  if (others.length === 0) return atoms;
  const isRemark = (segment: number): boolean => {
    const cell = atoms.filter((atom) => atom.segment === segment);
    const x0 = cell[0]?.box.x0 ?? 0;
    return segment > 0 && cell.length > 2 && others.some((column) => Math.abs(column.x0 - x0) < ALIGNED);
  };
  const remarks = new Set([...new Set(atoms.map(({ segment }) => segment))].filter(isRemark));
  return atoms.flatMap((atom, index) => {
    if (!remarks.has(atom.segment)) return [atom];
    if (atoms[index - 1]?.segment === atom.segment) return [];
    const words = atoms.filter(({ segment }) => segment === atom.segment).flatMap((one) => one.words);
    return [{ ...appendWords(EMPTY, words), kind: 'blank', segment: atom.segment }];
  });
}

interface SegmentContext {
  readonly segment: number;
  readonly sign: DecimalSign;
  /** The role announced by a label at the end of the previous segment. */
  readonly labelRole: ColumnRole | undefined;
}

function tokenizeSegment(words: readonly ReportWord[], place: SegmentContext): Atom[] {
  if (place.segment > 0 && isRangeHeading(joinWords(words)))
    return [{ ...appendWords(EMPTY, words), kind: 'label', segment: place.segment, labelRole: 'range' }];
  const atoms: Atom[] = [];
  let { labelRole } = place;
  let at = 0;
  while (at < words.length) {
    const found = matchAtom(words, at, place);
    const some = words.slice(at, at + found.count);
    at += found.count;
    if (found.kind === 'label') labelRole = found.labelRole;
    const before = atoms.at(-1);
    const isSide = before?.kind === 'number' && some.every((word) => isDirectionSign(word.text));
    if (found.kind === 'text' && before?.kind === 'text') {
      atoms[atoms.length - 1] = appendWords(before, some);
    } else if (!some.every((word) => /^(?:[:=]|[.…_]+:)$/u.test(word.text))) {
      atoms.push({
        // Right after a number, "-" is a flag like "+", and "<" points down; elsewhere they are not flags.
        kind: isSide ? 'flag' : found.kind,
        text: joinWords(some),
        words: some,
        box: uniteBoxes(some.map((word) => word.box)),
        segment: place.segment,
        ...(labelRole ? { labelRole } : {}),
      });
      if (before?.kind === 'label' && PREVIOUS_LABEL.test(before.text)) labelRole = undefined;
    }
  }
  return atoms;
}

const EMPTY: Atom = { kind: 'text', text: '', words: [], box: { x0: 0, x1: 0, y0: 0, y1: 0 }, segment: 0 };

/** "Reference range" in the row of a result, with the range below it. */
const isRangeHeading = (text: string): boolean =>
  /ref|interv|bereich|usuel|riferim|range/i.test(text) && matchColumnRole(text) === 'range';

interface AtomMatch {
  readonly kind: AtomKind;
  readonly count: number;
  readonly labelRole?: ColumnRole;
}

/** The longest recognizable form that begins here; else one word of text. */
function matchAtom(words: readonly ReportWord[], at: number, place: SegmentContext): AtomMatch {
  const { sign } = place;
  const texts = words.map((word) => word.text);
  const text = texts[at] ?? '';
  const named = fixedNameLength(texts, at);
  if (named > 0) return { kind: 'text', count: named };
  const labelled = scopedRangeLength(texts, at, sign);
  if (labelled > 0 && (place.segment > 0 || /^\d/.test(text))) return { kind: 'range', count: labelled };
  const ending = place.segment === 0 ? nameEndLength(texts, at) : 0;
  if (ending > 0) return { kind: 'text', count: ending };
  const label =
    intervalLength(texts, at, sign) > 0
      ? undefined
      : (matchLabel(texts, at) ?? (place.segment + at === 0 ? matchRangeLabel(texts, sign) : undefined));
  if (label) return label;
  if (isPreviousLabel(texts, at, sign)) return { kind: 'label', count: 1, labelRole: 'previous' };
  if (isCutoff(texts, at, sign)) return { kind: 'label', count: 1, labelRole: 'other' };
  if (isSeparateMinus(words, at, place)) return { kind: 'number', count: 2 };
  if (
    /^(?:[-–—]{1,3}|\.{2,})$/u.test(text) ||
    (place.segment > 0 && /^[\][]$/.test(text)) ||
    isBullet(text, { isFirst: place.segment + at === 0 }) ||
    (at === 0 && isListBullet(text) && isNameStart(texts))
  )
    return { kind: 'blank', count: 1 };
  if (words.length === 1 && RESULT_STATUS.test(text)) return { kind: 'blank', count: 1 };
  const threshold = at > 0 ? thresholdLength(texts, at, sign) : 0;
  if (threshold > 0)
    return {
      kind: /[<>≤≥]/u.test(texts[at + threshold - 2] ?? '') || /[<>≤≥]/u.test(text) ? 'threshold' : 'text',
      count: threshold,
    };
  const days = dateLength(texts, at);
  if (days > 0) return { kind: 'date', count: days };
  const interval = intervalLength(texts, at, sign);
  if (interval > 0) {
    const whole = texts.slice(at, at + interval).join(' ');
    return {
      kind: isCompared(whole, sign) ? 'compared' : 'range',
      count: interval,
    };
  }
  // "0 Rh (D) negative" is a blood group.
  if (text === '0' && qualitativeLength(texts, at) > 1) return matchWords(texts, at);
  const number = groupedLength(words, at) || (readNumber(text, sign) ? 1 : 0);
  if (number > 0) return { kind: 'number', count: number };
  return matchWords(texts, at);
}

/** Whether a name follows a bullet: "• haemoglobin 96 g/L" is a list item, "• High" and "• mg/dL" are not. */
const isNameStart = (texts: readonly string[]): boolean =>
  /^\p{L}/u.test(texts[1] ?? '') && matchWords(texts, 1).kind === 'text';

/** Words that end a name: "Alpha 1: 7 mmol/L" is not a titer, and "Glucose 120 min: 7" not a bound. */
function nameEndLength(texts: readonly string[], at: number): number {
  if (at === 0) return 0;
  const [number = '', word = '', amount = ''] = texts.slice(at);
  if (/^\d{1,3}$/.test(number) && /^\p{L}{1,4}:$/u.test(word) && /^[<>]?\d/.test(amount)) return 2;
  if (!/^\d{1,2}:$/.test(number)) return 0;
  let behind = at + 1;
  while (/^[<>]?[\d.,]+$/.test(texts[behind] ?? '')) behind += 1;
  return behind > at + 1 && isUnit(texts[behind] ?? '') ? 1 : 0;
}

const isCompared = (text: string, sign: DecimalSign): boolean =>
  /^[([]?\s*[<>≤≥=]/u.test(text)
    ? readNumber(
        text.replaceAll(/[()[\]]/g, '').replace(/^\s*([<>≤≥=]+)\s+(?:or|o|ou)\s*=/iu, '$1='),
        sign,
      ) !== undefined
    : isComparedInWords(text, sign);

const INDEX_VALUE =
  /^\((?:(?:s\/co?|coi|index|[íi]ndice|ratio|ai)\s?[:=]?\s?)?[<>≤≥]?=?\s?\d[\d.,]*(?:[/:]\d+)?(?:\s(?:s\/co?|coi|index|ratio|ai))?\)$/iu;

/** "Negative (0.06)", "Negative (< 1/80)" and "Positive (S/CO 9.4)" are printed with the number behind the finding. */
function includeFigure(texts: readonly string[], at: number, count: number): number {
  if (count === 0) return 0;
  for (const more of [1, 2, 3]) {
    const behind = texts.slice(at + count, at + count + more).join(' ');
    if (INDEX_VALUE.test(behind)) return count + more;
  }
  return count;
}

/** "LDL Small" and "HDL Large" are names of particles; elsewhere the second word is a finding. */
const isParticleSize = (texts: readonly string[], at: number): boolean =>
  /^(?:very )?(?:small|medium|large)$/i.test(texts[at] ?? '') &&
  /^(?:v?ldl|idl|hdl|particles?|lipoproteins?)(?:-?[cp])?,?$/i.test(texts[at - 1] ?? '');

function matchWords(texts: readonly string[], at: number): AtomMatch {
  const unit = unitLength(texts, at);
  const quality = includeFigure(texts, at, qualitativeLength(texts, at));
  const flag = flagLength(texts, at);
  const most = Math.max(unit, quality, flag);
  if (most === 0 || isParticleSize(texts, at)) return { kind: 'text', count: 1 };
  if (
    flag === most &&
    flag >= unit &&
    (flag > quality || !/^(?:normal|abnormal|anormal|normale)$/i.test(texts[at] ?? ''))
  ) {
    return { kind: 'flag', count: flag };
  }
  return unit === most ? { kind: 'unit', count: unit } : { kind: 'quality', count: quality };
}

const PREVIOUS_LABEL =
  /^[([]?(?:ant|anterior|prev|previous|prior|vorw|vorwert|vorbefund|pr[ée]c|pr[ée]c[ée]dente?|ant[ée]rieure?)[.:]?$/iu;

/** "prev. 11.6" names a previous result without a colon. */
const isPreviousLabel = (texts: readonly string[], at: number, sign: DecimalSign): boolean =>
  PREVIOUS_LABEL.test(texts[at] ?? '') &&
  readNumber((texts[at + 1] ?? '').replace(/[)\]]$/, ''), sign) !== undefined;

/** "Cutoff 500 ng/mL" is neither a result nor a range. */
const isCutoff = (texts: readonly string[], at: number, sign: DecimalSign): boolean =>
  /^[([]?cut-?off[.:]?$/iu.test(texts[at] ?? '') && readNumber(texts[at + 1] ?? '', sign) !== undefined;

/** "- 2.3", with a blank between minus and number; the range of the result decides whether it is a minus sign. */
const isSeparateMinus = (
  words: readonly ReportWord[],
  at: number,
  { segment, sign }: SegmentContext,
): boolean =>
  segment > 0 &&
  /^[-−–]$/u.test(words[at]?.text ?? '') &&
  !/\d/.test(words[at - 1]?.text ?? '') &&
  /^[\d.,]+$/.test(words[at + 1]?.text ?? '') &&
  readNumber(words[at + 1]?.text ?? '', sign) !== undefined;

/** The status of a result, often in its own column; not a finding. */
const RESULT_STATUS =
  /^(?:final|corrected|preliminary|verified|validated|endg[üu]ltig|validiert|definitivo|definitiva|d[ée]finitif|valid[ée])$/iu;

/** "Reference range:" and similar; the colon may be a separate word. */
function matchLabel(texts: readonly string[], at: number): AtomMatch | undefined {
  const heading = matchHeadingAt(texts, at);
  if (!heading) return undefined;
  const last = texts[at + heading.count - 1] ?? '';
  // "Hepatitis C: antibodies"
  if (at > 0 && /^\p{L}:?$/u.test(last) && heading.count === 1) return undefined;
  // "RESULTADO ......: 98"
  const hasColon = last.endsWith(':') || /^[.…_]*:$/u.test(texts[at + heading.count] ?? '');
  if (!hasColon || heading.role === 'name') return undefined;
  return { kind: 'label', count: heading.count, labelRole: heading.role };
}

/** "Reference range 115 - 165" and nothing else in the row. */
function matchRangeLabel(texts: readonly string[], sign: DecimalSign): AtomMatch | undefined {
  const heading = matchHeadingAt(texts, 0);
  if (heading?.role !== 'range' || heading.count < 2) return undefined;
  const isWhole = intervalLength(texts, heading.count, sign) === texts.length - heading.count;
  return isWhole ? { kind: 'label', count: heading.count, labelRole: 'range' } : undefined;
}

/** Thousands separated by a blank, as in 150 000: the groups are closer than columns are. */
function groupedLength(words: readonly ReportWord[], at: number): number {
  if (!/^[<>≤≥]?\d{1,3}$/u.test(words[at]?.text ?? '')) return 0;
  let count = 1;
  while (
    /^\d{3}(?:,\d+)?$/.test(words[at + count]?.text ?? '') &&
    (isNear(words[at + count - 1], words[at + count]) || isBlankSeparated(words, at + count))
  )
    count += 1;
  return count > 1 ? count : 0;
}

/** Separated by a full blank: not wider than the one before the unit, in a cell with no words before the number. */
function isBlankSeparated(words: readonly ReportWord[], at: number): boolean {
  const [first, number, unit] = words.slice(at - 1, at + 2);
  if (!first || !number || (unit && !isUnit(unit.text) && !BEHIND_NUMBER.test(unit.text))) return false;
  const gap = number.box.x0 - first.box.x1;
  return (
    gap < 0.65 * first.fontSize &&
    (!unit || gap < 1.1 * (unit.box.x0 - number.box.x1)) &&
    words.slice(0, at).every(({ text }) => /^[<>]?\d{1,3}$/.test(text))
  );
}

/** More digits of the number, or its flag. */
const BEHIND_NUMBER = /^(?:\d{3}|[HL*!↑↓▲▼]{1,2}|\([+-]\))$/u;

const isNear = (left: ReportWord | undefined, right: ReportWord | undefined): boolean =>
  left !== undefined &&
  right !== undefined &&
  right.box.x0 - left.box.x1 < (right.text === '000' ? 0.7 : 0.36) * right.fontSize;
