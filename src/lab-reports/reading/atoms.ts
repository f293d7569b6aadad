import type { Atom, AtomKind } from './atom.ts';
import { flagLength, isBullet, isListSign, isSideSign } from './lexicon/flags.ts';
import { headingAt, roleOfHeading, type ColumnRole } from './lexicon/headers.ts';
import { wholeNameLength } from './lexicon/analytes.ts';
import { qualityLength } from './lexicon/qualities.ts';
import type { Column } from './columns.ts';
import { dateLength } from './dates.ts';
import { readNumber, type DecimalSign } from './numbers.ts';
import { withoutJoints } from './joints.ts';
import { labelledLength, thresholdLength, withRangeLabel, withValueLabel } from './labelled.ts';
import { intervalLength, isComparedInWords } from './range-text.ts';
import { type Row, textOf } from './rows.ts';
import { piecesOf } from './pieces.ts';
import { withPowers } from './powers.ts';
import { withoutScale } from './scale.ts';
import { isUnit, unitLength } from './units.ts';
import { merge, withTimes, withWholeName } from './whole-names.ts';
import { type Word, unite } from './word.ts';

export type { Atom, AtomKind };

/** The line cut into the pieces that its forms tell apart, below the columns that are known. */
export function atomsOf(row: Row, sign: DecimalSign, columns: readonly Column[] = []): Atom[] {
  const atoms: Atom[] = [];
  piecesOf(row, sign).forEach((words, index) => {
    if (row.isWhole && index === 0) return void atoms.push({ ...merge(EMPTY, words), kind: 'text' });
    const before = atoms.at(-1);
    const said = before?.kind === 'label' ? before.said : undefined;
    atoms.push(...atomsOfSegment(words, { segment: index, sign, said }));
  });
  return withoutScale(
    withValueLabel(
      withRangeLabel(withWholeName(withTimes(withPowers(withoutJoints(withWholeRemarks(atoms, columns)))))),
    ),
  );
}

/** In points: how exactly a cell begins where its heading does. */
const ALIGNED = 3;

/** "1 in 25 to 1 in 242" below "Risk" is one remark, and none of its numbers is of the result. */
function withWholeRemarks(atoms: readonly Atom[], columns: readonly Column[]): readonly Atom[] {
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
    return [{ ...merge(EMPTY, words), kind: 'blank', segment: atom.segment }];
  });
}

interface Place {
  readonly segment: number;
  readonly sign: DecimalSign;
  /** What the label at the end of the segment before announces. */
  readonly said: ColumnRole | undefined;
}

function atomsOfSegment(words: readonly Word[], place: Place): Atom[] {
  if (place.segment > 0 && isRangeHeading(textOf(words)))
    return [{ ...merge(EMPTY, words), kind: 'label', segment: place.segment, said: 'range' }];
  const atoms: Atom[] = [];
  let { said } = place;
  let at = 0;
  while (at < words.length) {
    const found = next(words, at, place);
    const some = words.slice(at, at + found.count);
    at += found.count;
    if (found.kind === 'label') said = found.said;
    const before = atoms.at(-1);
    const isSide = before?.kind === 'number' && some.every((word) => isSideSign(word.text));
    if (found.kind === 'text' && before?.kind === 'text') {
      atoms[atoms.length - 1] = merge(before, some);
    } else if (!some.every((word) => /^(?:[:=]|[.…_]+:)$/u.test(word.text))) {
      atoms.push({
        // Right behind a number a minus is the flag that a plus would be, and "<" points down; elsewhere they are not.
        kind: isSide ? 'flag' : found.kind,
        text: textOf(some),
        words: some,
        box: unite(some.map((word) => word.box)),
        segment: place.segment,
        ...(said ? { said } : {}),
      });
      if (before?.kind === 'label' && EARLIER.test(before.text)) said = undefined;
    }
  }
  return atoms;
}

const EMPTY: Atom = { kind: 'text', text: '', words: [], box: { x0: 0, x1: 0, y0: 0, y1: 0 }, segment: 0 };

/** "Reference range" beside a result, with what it is below. */
const isRangeHeading = (text: string): boolean =>
  /ref|interv|bereich|usuel|riferim|range/i.test(text) && roleOfHeading(text) === 'range';

interface Found {
  readonly kind: AtomKind;
  readonly count: number;
  readonly said?: ColumnRole;
}

/** The longest thing with a form of its own that begins here; else one word of text. */
function next(words: readonly Word[], at: number, place: Place): Found {
  const { sign } = place;
  const texts = words.map((word) => word.text);
  const text = texts[at] ?? '';
  const named = wholeNameLength(texts, at);
  if (named > 0) return { kind: 'text', count: named };
  const labelled = labelledLength(texts, at, sign);
  if (labelled > 0 && (place.segment > 0 || /^\d/.test(text))) return { kind: 'range', count: labelled };
  const ending = place.segment === 0 ? endOfName(texts, at) : 0;
  if (ending > 0) return { kind: 'text', count: ending };
  const label =
    intervalLength(texts, at, sign) > 0
      ? undefined
      : (labelAt(texts, at) ?? (place.segment + at === 0 ? rangeLabelAt(texts, sign) : undefined));
  if (label) return label;
  if (isOfEarlier(texts, at, sign)) return { kind: 'label', count: 1, said: 'previous' };
  if (isCutoff(texts, at, sign)) return { kind: 'label', count: 1, said: 'other' };
  if (isApartMinus(words, at, place)) return { kind: 'number', count: 2 };
  if (
    /^(?:[-–—]{1,3}|\.{2,})$/u.test(text) ||
    (place.segment > 0 && /^[\][]$/.test(text)) ||
    isBullet(text, { isFirst: place.segment + at === 0 }) ||
    (at === 0 && isListSign(text) && beginsName(texts))
  )
    return { kind: 'blank', count: 1 };
  if (words.length === 1 && IS_STATE.test(text)) return { kind: 'blank', count: 1 };
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
  if (text === '0' && qualityLength(texts, at) > 1) return wordsAt(texts, at);
  const number = groupedLength(words, at) || (readNumber(text, sign) ? 1 : 0);
  if (number > 0) return { kind: 'number', count: number };
  return wordsAt(texts, at);
}

/** "• haemoglobin 96 g/L" is a point of a list, "• High" and "• mg/dL" are marked: whether a word that is no more follows. */
const beginsName = (texts: readonly string[]): boolean =>
  /^\p{L}/u.test(texts[1] ?? '') && wordsAt(texts, 1).kind === 'text';

/** "Alpha 1: 7 mmol/L" is no titer, which has no unit, and "Glucose 120 min: 7" no bound: how many words end a name. */
function endOfName(texts: readonly string[], at: number): number {
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

const IS_FIGURE =
  /^\((?:(?:s\/co?|coi|index|[íi]ndice|ratio|ai)\s?[:=]?\s?)?[<>≤≥]?=?\s?\d[\d.,]*(?:[/:]\d+)?(?:\s(?:s\/co?|coi|index|ratio|ai))?\)$/iu;

/** "Negative (0.06)", "Negative (< 1/80)" and "Positive (S/CO 9.4)" are printed with the figure that they rest on. */
function withFigure(texts: readonly string[], at: number, count: number): number {
  if (count === 0) return 0;
  for (const more of [1, 2, 3]) {
    const behind = texts.slice(at + count, at + count + more).join(' ');
    if (IS_FIGURE.test(behind)) return count + more;
  }
  return count;
}

function wordsAt(texts: readonly string[], at: number): Found {
  const unit = unitLength(texts, at);
  const quality = withFigure(texts, at, qualityLength(texts, at));
  const flag = flagLength(texts, at);
  const most = Math.max(unit, quality, flag);
  if (most === 0) return { kind: 'text', count: 1 };
  if (
    flag === most &&
    flag >= unit &&
    (flag > quality || !/^(?:normal|abnormal|anormal|normale)$/i.test(texts[at] ?? ''))
  ) {
    return { kind: 'flag', count: flag };
  }
  return unit === most ? { kind: 'unit', count: unit } : { kind: 'quality', count: quality };
}

const EARLIER =
  /^[([]?(?:ant|anterior|prev|previous|prior|vorw|vorwert|vorbefund|pr[ée]c|pr[ée]c[ée]dente?|ant[ée]rieure?)[.:]?$/iu;

/** "prev. 11.6" names an earlier result without a colon. */
const isOfEarlier = (texts: readonly string[], at: number, sign: DecimalSign): boolean =>
  EARLIER.test(texts[at] ?? '') &&
  readNumber((texts[at + 1] ?? '').replace(/[)\]]$/, ''), sign) !== undefined;

/** "Cutoff 500 ng/mL" is no result, nor is it a range. */
const isCutoff = (texts: readonly string[], at: number, sign: DecimalSign): boolean =>
  /^[([]?cut-?off[.:]?$/iu.test(texts[at] ?? '') && readNumber(texts[at + 1] ?? '', sign) !== undefined;

/** "- 2.3", where a blank parts the minus from its number; whether it is one, the range of the result says. */
const isApartMinus = (words: readonly Word[], at: number, { segment, sign }: Place): boolean =>
  segment > 0 &&
  /^[-−–]$/u.test(words[at]?.text ?? '') &&
  !/\d/.test(words[at - 1]?.text ?? '') &&
  /^[\d.,]+$/.test(words[at + 1]?.text ?? '') &&
  readNumber(words[at + 1]?.text ?? '', sign) !== undefined;

/** What stands in a column of its own beside every result and says nothing of it. */
const IS_STATE =
  /^(?:final|corrected|preliminary|verified|validated|endg[üu]ltig|validiert|definitivo|definitiva|d[ée]finitif|valid[ée])$/iu;

/** "Reference range:" and the like; the colon may stand alone. */
function labelAt(texts: readonly string[], at: number): Found | undefined {
  const heading = headingAt(texts, at);
  if (!heading) return undefined;
  const last = texts[at + heading.count - 1] ?? '';
  // "Hepatitis C: antibodies"
  if (at > 0 && /^\p{L}:?$/u.test(last) && heading.count === 1) return undefined;
  // "RESULTADO ......: 98"
  const hasColon = last.endsWith(':') || /^[.…_]*:$/u.test(texts[at + heading.count] ?? '');
  if (!hasColon || heading.role === 'name') return undefined;
  return { kind: 'label', count: heading.count, said: heading.role };
}

/** "Reference range 115 - 165", and nothing else in its line. */
function rangeLabelAt(texts: readonly string[], sign: DecimalSign): Found | undefined {
  const heading = headingAt(texts, 0);
  if (heading?.role !== 'range' || heading.count < 2) return undefined;
  const isWhole = intervalLength(texts, heading.count, sign) === texts.length - heading.count;
  return isWhole ? { kind: 'label', count: heading.count, said: 'range' } : undefined;
}

/** Thousands parted by a blank, as in 150 000: the parts stand closer than columns do. */
function groupedLength(words: readonly Word[], at: number): number {
  if (!/^[<>≤≥]?\d{1,3}$/u.test(words[at]?.text ?? '')) return 0;
  let count = 1;
  while (
    /^\d{3}(?:,\d+)?$/.test(words[at + count]?.text ?? '') &&
    (isNear(words[at + count - 1], words[at + count]) || isBlankOfCell(words, at + count))
  )
    count += 1;
  return count > 1 ? count : 0;
}

/** Set with whole blanks: no wider than the one before the unit behind, in a cell with nothing else before them. */
function isBlankOfCell(words: readonly Word[], at: number): boolean {
  const [first, number, unit] = words.slice(at - 1, at + 2);
  if (!first || !number || (unit && !isUnit(unit.text) && !BEHIND_NUMBER.test(unit.text))) return false;
  const gap = number.box.x0 - first.box.x1;
  return (
    gap < 0.65 * first.fontSize &&
    (!unit || gap < 1.1 * (unit.box.x0 - number.box.x1)) &&
    words.slice(0, at).every(({ text }) => /^[<>]?\d{1,3}$/.test(text))
  );
}

/** More of the number, or its flag. */
const BEHIND_NUMBER = /^(?:\d{3}|[HL*!↑↓▲▼]{1,2}|\([+-]\))$/u;

const isNear = (left: Word | undefined, right: Word | undefined): boolean =>
  left !== undefined &&
  right !== undefined &&
  right.box.x0 - left.box.x1 < (right.text === '000' ? 0.7 : 0.36) * right.fontSize;
