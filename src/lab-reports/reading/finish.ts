import { type Draft, boxOf, textOfAtoms, wordsOfAtoms } from './drafts.ts';
import { analyteOf } from './lexicon/limits.ts';
import { qualityOf } from './lexicon/qualities.ts';
import { compareAny, levelOf, meaningOf, NEITHER } from './meaning.ts';
import { type DecimalSign, type PrintedNumber, readNumber } from './numbers.ts';
import { intervalFor, joinRange, type Patient } from './patient-range.ts';
import { isComparedInWords, readInterval } from './range-text.ts';
import { textOf } from './rows.ts';
import { sampleTypeOf } from './specimen.ts';
import { isUnit, sameUnitKey } from './units.ts';
import type { ReadLine, ResultType } from './word.ts';

export interface Finishing {
  readonly sign: DecimalSign;
  readonly patient: Patient;
}

/** A draft turned into the result that the reader gives away, still without doubts. */
export function finish(draft: Draft, { sign: habit, patient }: Finishing): ReadLine {
  const { name, unitInName } = nameOf(draft);
  const sign = signOf(name, textOfAtoms(draft.value), habit);
  const { printedValue, flagInValue, isFlagTaken } = valueOf(
    textOfAtoms(draft.value),
    name,
    textOfAtoms(draft.flag),
  );
  const number =
    readNumber(printedValue.replaceAll(/[()]/g, '').replace(/^([<>])\s*(?:or|o|ou)\s*=/iu, '$1='), sign) ??
    inWords(printedValue, sign);
  const unit = cleanUnit(textOfAtoms(draft.unit)) ?? unitInName;
  const lines = draft.range.map((atoms) => cleanRange(textOfAtoms(atoms))).filter((line) => line !== '');
  const referenceRange = lines.length > 0 ? joinRange(lines, sign) : null;
  const interval = referenceRange
    ? (readInterval(`[${referenceRange}]`, sign) ?? intervalFor(referenceRange, sign, patient))
    : undefined;
  const flag = draft.flag.length > 0 && !isFlagTaken ? textOfAtoms(draft.flag) : flagInValue;
  const compared = interval
    ? compareAny({ number, span: readInterval(printedValue, sign), interval })
    : NEITHER;
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

/** "Inferior a 1,20" is a number with a comparator. */
function inWords(text: string, sign: DecimalSign): PrintedNumber | undefined {
  const interval = isComparedInWords(text, sign) ? readInterval(text, sign) : undefined;
  const value = interval?.max ?? interval?.min;
  if (!interval || value === null || value === undefined) return undefined;
  return { value, comparator: interval.max === null ? '>' : '<', decimals: interval.decimals };
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
    .replace(/[,;:]$|(?<=\d)\.$/, '')
    .trim();
  return unit === '' ? null : unit;
};

function cleanRange(text: string): string {
  const clean = text
    .replace(/^[:;,]\s*|\s*[;,:]$/g, '')
    .replace(/\s*\(calc\.?\)$/i, '')
    .trim();
  const isWrapped = /^\([^()]*\)$|^\[[^[\]]*\]$/.test(clean);
  return (isWrapped ? clean.slice(1, -1) : clean)
    .replace(/^(?:N|V\.?[NR]\.?|Ref\.?)\s*:?\s+(?=[\d<>≤≥\p{Ll}])/u, '')
    .trim();
}

/** A specific gravity has a point in every country: 1.015 is no thousand. */
const signOf = (name: string, value: string, habit: DecimalSign): DecimalSign =>
  /^1\.0\d\d$/.test(value) && analyteOf(name) === 'gravity' ? '.' : habit;

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
