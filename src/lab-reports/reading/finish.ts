import { type Draft, boxOf, textOfAtoms, wordsOfAtoms } from './drafts.ts';
import { flagLevelOf } from './lexicon/flags.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { type DecimalSign, readNumber } from './numbers.ts';
import { intervalFor, joinRange, type Patient } from './patient-range.ts';
import type { Interval } from './range-text.ts';
import { textOf } from './rows.ts';
import { sampleTypeOf } from './specimen.ts';
import { isUnit, sameUnitKey } from './units.ts';
import type { FlagLevel, Meaning, ReadLine, ResultType } from './word.ts';

export interface Finishing {
  readonly sign: DecimalSign;
  readonly patient: Patient;
}

/** A draft turned into the result that the reader gives away, still without doubts. */
export function finish(draft: Draft, { sign, patient }: Finishing): ReadLine {
  const { name, unitInName } = nameOf(draft);
  const { printedValue, flagInValue, isFlagTaken } = valueOf(
    textOfAtoms(draft.value),
    name,
    textOfAtoms(draft.flag),
  );
  const number = readNumber(
    printedValue.replaceAll(/[()]/g, '').replace(/^([<>])\s*(?:or|o|ou)\s*=/iu, '$1='),
    sign,
  );
  const unit = cleanUnit(textOfAtoms(draft.unit)) ?? unitInName;
  const lines = draft.range.map((atoms) => cleanRange(textOfAtoms(atoms))).filter((line) => line !== '');
  const referenceRange = lines.length > 0 ? joinRange(lines, sign) : null;
  const interval = referenceRange ? intervalFor(referenceRange, sign, patient) : undefined;
  const flag = draft.flag.length > 0 && !isFlagTaken ? textOfAtoms(draft.flag) : flagInValue;
  const compared =
    number && interval ? compare({ value: number.value, comparator: number.comparator }, interval) : NEITHER;
  const flagLevel = flag ? levelOf(flag, compared) : null;
  return {
    testName: name,
    printedValue,
    value: number?.value ?? null,
    comparator: number?.comparator ?? null,
    type: typeOf({ printedValue, isNumber: number !== undefined, unit }),
    unit,
    referenceRange,
    min: interval?.min ?? null,
    max: interval?.max ?? null,
    flag,
    flagLevel,
    ...compared,
    interpretation: meaningOf({ flagLevel, compared, printedValue, referenceRange }),
    panel: draft.panel,
    section: draft.section,
    specimen: sampleTypeOf([name, draft.specimenHint, draft.panel, draft.section]),
    method: draft.method.length > 0 ? draft.method.join(' ').replace(/^[([]|[)\]]$/g, '') : null,
    notes: draft.notes,
    page: draft.row.page,
    boxes: boxesOf(draft),
    confidence: confidenceOf(draft),
    reviewReasons: [],
  };
}

function nameOf(draft: Draft): { name: string; unitInName: string | null } {
  const whole = draft.nameRows
    .map(textOf)
    .join(' ')
    .replace(/^(?:[*•·▪►>#†‡]+|\d{1,2}[.)]|[-–])\s+|^\*+/u, '')
    .replace(/[\s:.…=_-]+$/u, '')
    .trim();
  const [, before, inside] = /^(.{2,}?)\s*[([,]\s*([^()[\],]+)[)\]]?$/u.exec(whole) ?? [];
  if (before && inside && draft.unit.length === 0 && isUnit(inside) && inside !== 'ratio')
    return { name: before.trim(), unitInName: inside };
  const isShare = draft.unit.length === 0 && /(?:^|\s)%$/.test(whole);
  return { name: whole, unitInName: isShare ? '%' : null };
}

/** "A Positive" is a blood group where blood groups are named; elsewhere it is a flag before a word. */
function valueOf(
  text: string,
  name: string,
  flag: string,
): { printedValue: string; flagInValue: string | null; isFlagTaken: boolean } {
  const printedValue = cleanValue(text);
  const isGroup = /group|grupp|grupo|groupe|\babo\b|\brh/i.test(name);
  if (isGroup && flag === 'A')
    return { printedValue: `A ${printedValue}`, flagInValue: null, isFlagTaken: true };
  const [, letter, rest] = /^(A)\s+(\p{L}.+)$/u.exec(printedValue) ?? [];
  return letter && rest && !isGroup
    ? { printedValue: rest, flagInValue: letter, isFlagTaken: false }
    : { printedValue, flagInValue: null, isFlagTaken: false };
}

const cleanValue = (text: string): string =>
  text
    .replace(/^[=:]\s*/, '')
    .replace(/\s*[;,]$/, '')
    .trim();

const cleanUnit = (text: string): string | null => {
  const unit = text
    .replace(/^[([]\s*(?=[^)\]]*[)\]]?$)/, '')
    .replace(/(?<![([][^)\]]*)[)\]]$/, '')
    .replace(/[,;:]$/, '')
    .trim();
  return unit === '' ? null : unit;
};

function cleanRange(text: string): string {
  const clean = text.replace(/^[:;,]\s*|\s*[;,:]$/g, '').trim();
  const isWrapped = /^\([^()]*\)$|^\[[^[\]]*\]$/.test(clean);
  return isWrapped ? clean.slice(1, -1).trim() : clean;
}

/** Letters that mean different things in different languages are understood by the side the value is on. */
function levelOf(flag: string, { isAboveMax, isBelowMin }: Compared): FlagLevel | null {
  const level = flagLevelOf(flag) ?? flagLevelOf(flag.split(' ')[0] ?? '') ?? null;
  const isVague = level === 'abnormal' || level === null || /^[NCAB]$/.test(flag);
  if (isVague && isAboveMax) return 'high';
  return isVague && isBelowMin ? 'low' : level;
}

const NEITHER = { isAboveMax: null, isBelowMin: null } as const;
type Compared = { readonly isAboveMax: boolean | null; readonly isBelowMin: boolean | null };

function compare(number: { value: number; comparator: string | null }, interval: Interval): Compared {
  const { value, comparator } = number;
  const { min, max } = interval;
  const above =
    max !== null &&
    (value > max ||
      (value === max && (interval.maxIsOutside ? !comparator?.startsWith('<') : comparator === '>')));
  const below =
    min !== null &&
    (value < min ||
      (value === min && (interval.minIsOutside ? !comparator?.startsWith('>') : comparator === '<')));
  return {
    isAboveMax:
      max === null ? null : above && !(comparator?.startsWith('<') && value !== max && min === null),
    isBelowMin: min === null ? null : below && !(comparator?.startsWith('>') && max === null),
  };
}

const DURATION =
  /^(?:s|secs?|seconds?|seg|segs|segundos|sek|sekunden|secondes?|secondi|min|minutes?|minutos)\.?$/i;

function typeOf({
  printedValue,
  isNumber,
  unit,
}: {
  printedValue: string;
  isNumber: boolean;
  unit: string | null;
}): ResultType {
  if (isNumber && unit && sameUnitKey(unit) === '%') return 'percentage';
  if (isNumber && unit && DURATION.test(unit)) return 'duration';
  if (isNumber) return 'numeric';
  const quality = qualityOf(printedValue);
  if (quality === 'titer') return 'ratio';
  if (/^[<>]?\s*\d[\d.,]*\s*[-–]\s*\d[\d.,]*$/.test(printedValue)) return 'range';
  const isYesOrNo =
    quality === 'absent' ||
    (quality === 'present' &&
      /^(?:pos|react|detec|present|nachweis|rilevat|weakly|strong)/i.test(printedValue));
  return isYesOrNo ? 'boolean' : 'comment';
}

interface Judged {
  readonly flagLevel: FlagLevel | null;
  readonly compared: Compared;
  readonly printedValue: string;
  readonly referenceRange: string | null;
}

/** What is printed decides; where nothing is, the range; where there is no bound, equal words. */
function meaningOf({ flagLevel, compared, printedValue, referenceRange }: Judged): Meaning {
  if (flagLevel)
    return flagLevel.startsWith('critical') ? 'critical' : flagLevel === 'normal' ? 'normal' : 'abnormal';
  const sides = [compared.isAboveMax, compared.isBelowMin];
  if (sides.includes(true)) return 'abnormal';
  if (sides.includes(false)) return 'normal';
  const expected = referenceRange ? qualityOf(referenceRange) : undefined;
  const quality = qualityOf(printedValue);
  if (!expected || !quality || !referenceRange) return 'unknown';
  if (printedValue.toLowerCase() === referenceRange.toLowerCase()) return 'normal';
  if (expected === 'absent')
    return quality === 'absent' ? 'normal' : quality === 'present' ? 'abnormal' : 'unknown';
  return 'unknown';
}

function boxesOf(draft: Draft): ReadLine['boxes'] {
  const name = boxOf(draft.nameRows.flat());
  const value = boxOf(wordsOfAtoms(draft.value));
  const unit = boxOf(wordsOfAtoms(draft.unit));
  const range = boxOf(wordsOfAtoms(draft.range.flat()));
  const flag = boxOf(wordsOfAtoms(draft.flag));
  return {
    ...(name && { name }),
    ...(value && { value }),
    ...(unit && { unit }),
    ...(range && { range }),
    ...(flag && { flag }),
  };
}

function confidenceOf(draft: Draft): number {
  const words = [...draft.nameRows.flat(), ...wordsOfAtoms([...draft.value, ...draft.unit])];
  const read = Math.min(1, ...words.map((word) => word.confidence));
  const structure = draft.evidence >= 4 ? 0.99 : draft.evidence >= 3 ? 0.96 : 0.88;
  const cost = draft.cost > 5 ? 0.85 : draft.cost > 3 ? 0.95 : 1;
  return Math.round(read * structure * cost * 1000) / 1000;
}
