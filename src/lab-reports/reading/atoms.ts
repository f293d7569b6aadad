import { flagLength, unglue } from './lexicon/flags.ts';
import { headingAt, type ColumnRole } from './lexicon/headers.ts';
import { qualityLength } from './lexicon/qualities.ts';
import { dateLength } from './dates.ts';
import { COMPARATOR, DIGITS, readNumber, type DecimalSign } from './numbers.ts';
import { intervalLength, isComparedInWords } from './range-text.ts';
import type { Row } from './rows.ts';
import { isUnit, unitLength } from './units.ts';
import { type Box, type Word, unite } from './word.ts';

/**
 * What a piece of a line looks like by itself, before anyone knows its column. `compared` is a number with a
 * comparator: a value or a one-sided range. `label` names what follows it: "Range: 70-99".
 */
export type AtomKind =
  'text' | 'number' | 'compared' | 'range' | 'unit' | 'flag' | 'quality' | 'date' | 'blank' | 'label';

export interface Atom {
  readonly kind: AtomKind;
  readonly text: string;
  readonly words: readonly Word[];
  readonly box: Box;
  /** Which segment of the row it stands in. */
  readonly segment: number;
  /** What a label before it in the same segment says that it is; for a label, what it announces. */
  readonly said?: ColumnRole;
}

/** The line cut into the pieces that its forms tell apart. */
export function atomsOf(row: Row, sign: DecimalSign): Atom[] {
  const atoms: Atom[] = [];
  row.segments.forEach((segment, index) => {
    const before = atoms.at(-1);
    const said = before?.kind === 'label' ? before.said : undefined;
    atoms.push(...atomsOfSegment(segment.words.flatMap(unpack), { segment: index, sign, said }));
  });
  return atoms;
}

interface Place {
  readonly segment: number;
  readonly sign: DecimalSign;
  /** What the label at the end of the segment before announces. */
  readonly said: ColumnRole | undefined;
}

function atomsOfSegment(words: readonly Word[], place: Place): Atom[] {
  const atoms: Atom[] = [];
  let { said } = place;
  let at = 0;
  while (at < words.length) {
    const found = next(words, at, place);
    const some = words.slice(at, at + found.count);
    at += found.count;
    if (found.kind === 'label') said = found.said;
    const before = atoms.at(-1);
    const isMinus = before?.kind === 'number' && some.every((word) => /^-{1,2}$/.test(word.text));
    if (found.kind === 'text' && before?.kind === 'text') {
      atoms[atoms.length - 1] = merge(before, some);
    } else if (!some.every((word) => /^[:=]$/.test(word.text))) {
      atoms.push({
        // Right behind a number a minus is the flag that a plus would be; elsewhere an empty cell.
        kind: isMinus ? 'flag' : found.kind,
        text: textOf(some),
        words: some,
        box: unite(some.map((word) => word.box)),
        segment: place.segment,
        ...(said ? { said } : {}),
      });
    }
  }
  return atoms;
}

const textOf = (words: readonly Word[]): string => words.map((word) => word.text).join(' ');

const merge = (atom: Atom, words: readonly Word[]): Atom => {
  const all = [...atom.words, ...words];
  return { ...atom, words: all, text: textOf(all), box: unite(all.map((word) => word.box)) };
};

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
  const label =
    isGradeOfRange(words, at, place) || intervalLength(texts, at, sign) > 0 ? undefined : labelAt(texts, at);
  if (label) return label;
  if (/^(?:[-–—]{1,3}|\.{2,})$/u.test(text)) return { kind: 'blank', count: 1 };
  if (words.length === 1 && IS_STATE.test(text)) return { kind: 'blank', count: 1 };
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
  const grouped = groupedLength(words, at);
  if (grouped > 0) return { kind: 'number', count: grouped };
  if (readNumber(text, sign)) return { kind: 'number', count: 1 };
  return wordsAt(texts, at);
}

const isCompared = (text: string, sign: DecimalSign): boolean =>
  /^[([]?\s*[<>≤≥=]/u.test(text)
    ? readNumber(
        text.replaceAll(/[()[\]]/g, '').replace(/^\s*([<>≤≥=]+)\s+(?:or|o|ou)\s*=/iu, '$1='),
        sign,
      ) !== undefined
    : isComparedInWords(text, sign);

function wordsAt(texts: readonly string[], at: number): Found {
  const unit = unitLength(texts, at);
  const quality = qualityLength(texts, at);
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

/** "Normal: 70 - 99" in the column of ranges is the first line of a range with grades, and announces none. */
const isGradeOfRange = (words: readonly Word[], at: number, { segment, sign }: Place): boolean =>
  segment > 0 &&
  /^normal(?:e|es)?:$/i.test(words[at]?.text ?? '') &&
  intervalLength(
    words.map((word) => word.text),
    at + 1,
    sign,
  ) > 0;

/** What stands in a column of its own beside every result and says nothing of it. */
const IS_STATE =
  /^(?:final|corrected|preliminary|verified|validated|endg[üu]ltig|validiert|definitivo|definitiva|d[ée]finitif|valid[ée])$/iu;

/** "Reference range:" and the like; the colon may stand alone. */
function labelAt(texts: readonly string[], at: number): Found | undefined {
  const heading = headingAt(texts, at);
  if (!heading) return undefined;
  const last = texts[at + heading.count - 1] ?? '';
  const hasColon = last.endsWith(':') || texts[at + heading.count] === ':';
  if (!hasColon || heading.role === 'name') return undefined;
  return { kind: 'label', count: heading.count, said: heading.role };
}

/** Thousands parted by a blank, as in 150 000: the parts stand closer than columns do. */
function groupedLength(words: readonly Word[], at: number): number {
  if (!/^[<>≤≥]?\d{1,3}$/u.test(words[at]?.text ?? '')) return 0;
  let count = 1;
  while (
    /^\d{3}(?:,\d+)?$/.test(words[at + count]?.text ?? '') &&
    isNear(words[at + count - 1], words[at + count])
  )
    count += 1;
  return count > 1 ? count : 0;
}

const isNear = (left: Word | undefined, right: Word | undefined): boolean =>
  left !== undefined &&
  right !== undefined &&
  right.box.x0 - left.box.x1 < (right.text === '000' ? 0.7 : 0.36) * right.fontSize;

const WITH_UNIT = new RegExp(
  String.raw`^((?:${COMPARATOR})?\s*[-+]?${DIGITS}(?:[-–]${DIGITS})?)(\p{L}.*|%.*|/.+)$`,
  'u',
);

/** A word that is two things glued together comes apart: 12.3H, *12.3, 93mg/dL, 5% */
function unpack(word: Word): Word[] {
  const glued = unglue(word.text);
  if (glued) {
    const parts = glued.flagFirst ? [glued.flag, glued.value] : [glued.value, glued.flag];
    return split(word, parts);
  }
  const [, before, letters, after] = /^([*!↑↓▲▼]{1,2})?(\p{L}{3,})([*!↑↓▲▼]{1,2})?$/u.exec(word.text) ?? [];
  if (letters && (before || after))
    return split(
      word,
      [before, letters, after].filter((part) => part !== undefined),
    );
  const [, number, unit] = WITH_UNIT.exec(word.text) ?? [];
  if (number && unit && isUnit(unit) && !/^[x×]?10[\^*eE]/.test(word.text))
    return split(word, [number, unit]);
  const [, bracketed, rest] = /^(\[[^\]]+\]|\([<>]?[\d.,\s–-]+\))(\S+)$/u.exec(word.text) ?? [];
  if (bracketed && rest) return split(word, [bracketed, rest]);
  return [word];
}

function split(word: Word, parts: readonly string[]): Word[] {
  const letters = parts.join('').length || 1;
  const perLetter = (word.box.x1 - word.box.x0) / letters;
  let x0 = word.box.x0;
  return parts.map((text) => {
    const x1 = x0 + text.length * perLetter;
    const part = { ...word, text, box: { ...word.box, x0, x1 } };
    x0 = x1;
    return part;
  });
}
