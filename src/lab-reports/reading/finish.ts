import type { Atom } from './atoms.ts';
import { type Draft, boxOf, textOfAtoms, wordsOfAtoms } from './drafts.ts';
import { isMinus } from './lexicon/flags.ts';
import { analyteOf } from './lexicon/limits.ts';
import { type Compared, compareAny, levelOf, meaningOf, NEITHER } from './meaning.ts';
import { type DecimalSign, type PrintedNumber, readNumber } from './numbers.ts';
import { intervalFor, joinRange, type Patient } from './patient-range.ts';
import { type Interval, intervalsIn, isComparedInWords, readInterval } from './range-text.ts';
import { typeOf } from './result-type.ts';
import { textOf } from './rows.ts';
import { sampleTypeOf } from './specimen.ts';
import { isUnit, sameUnitKey } from './units.ts';
import type { ReadLine, Word } from './word.ts';

export interface Finishing {
  readonly sign: DecimalSign;
  readonly patient: Patient;
}

/** A draft turned into the result that the reader gives away, still without doubts. */
export function finish(draft: Draft, { sign: habit, patient }: Finishing): ReadLine {
  const { name, unitInName } = nameOf(draft);
  const sign = signOf(name, textOfAtoms(draft.value), habit);
  const unit = cleanUnit(textOfAtoms(draft.unit)) ?? unitInName;
  const referenceRange = rangeOf(draft, unit, sign);
  const interval = referenceRange
    ? (readInterval(`[${referenceRange}]`, sign) ?? intervalFor(referenceRange, sign, patient))
    : undefined;
  const said = valueOf(textOfAtoms(draft.value), { name, flag: textOfAtoms(draft.flag), interval });
  const { printedValue, isUnclear } = said;
  const number = numberIn(printedValue, sign);
  const compared = interval
    ? compareAny({ number, span: readInterval(printedValue, sign), interval })
    : NEITHER;
  const flag = said.flag === '' || isDrawn(said.flag, draft, compared) ? null : said.flag;
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
    openBounds: openBoundsOf(interval),
    flag,
    flagLevel,
    ...compared,
    interpretation: meaningOf({
      flagLevel,
      compared,
      printedValue,
      referenceRange,
      isFound:
        (number?.value ?? 0) > 0 && number?.comparator === null && /\/[uµμ]l$|^mg\/dl$/iu.test(unit ?? ''),
    }),
    panel: draft.panel,
    section: draft.section,
    specimen: sampleTypeOf([name, draft.specimenHint, draft.panel, draft.section]),
    method: draft.method.length > 0 ? draft.method.join(' ').replace(/^[([]|[)\]]$/g, '') : null,
    notes: draft.notes,
    page: draft.row.page,
    boxes: boxesOf(draft),
    confidence: confidenceOf(draft),
    reviewReasons: isUnclear || draft.isCut || hasTwoRanges(referenceRange, sign) ? ['unclear_columns'] : [],
  };
}

const openBoundsOf = (interval: Interval | undefined): ('min' | 'max')[] => [
  ...(interval?.minIsOutside ? (['min'] as const) : []),
  ...(interval?.maxIsOutside ? (['max'] as const) : []),
];

/** "0.45 to 4.50; 10.0 to 20.0": where nothing says for whom each is, one may be of another result. */
function hasTwoRanges(range: string | null, sign: DecimalSign): boolean {
  const whole = (range ?? '').split('; ').filter((part) => readInterval(part, sign) !== undefined);
  return new Set(whole).size > 1;
}

/** Whether what stands where flags do is none: a minus that means an empty cell, a star within the scale of its range. */
function isDrawn(flag: string, draft: Draft, { isAboveMax, isBelowMin }: Compared): boolean {
  const isGuess = isMinus(flag) && draft.flag.some(({ kind }) => kind === 'blank' || kind === 'text');
  const isWithin = [isAboveMax, isBelowMin].includes(false) && !isAboveMax && !isBelowMin;
  return (isGuess && !isBelowMin) || (flag === '[*]' && isWithin);
}

function nameOf(draft: Draft): { name: string; unitInName: string | null } {
  const whole = draft.nameRows
    .map(textOf)
    .join(' ')
    .replace(/^(?:[*•·▪►>#†‡\uE000-\uF8FF]+|\d{1,2}[.)]|[-–])\s+|^\*+/u, '')
    .replace(/[\s:.…=_-]+$/u, '')
    .trim();
  const [, before, inside] = /^(.{2,}?)\s*[([,]\s*([^()[\],]+)[)\]]?$/u.exec(whole) ?? [];
  if (before && inside && draft.unit.length === 0 && isUnit(inside) && !/^(?:ratio|inr)$/i.test(inside))
    return { name: before.trim(), unitInName: inside };
  const isShare = draft.unit.length === 0 && /(?:^|\s)%$/.test(whole);
  return { name: whole, unitInName: isShare ? '%' : null };
}

interface Said {
  readonly printedValue: string;
  readonly flag: string;
  /** Whether a minus may have been a sign or an empty cell. */
  readonly isUnclear: boolean;
}

/** The value and the flag of a line, where each may stand in the other's place. */
function valueOf(
  text: string,
  { name, flag, interval }: { name: string; flag: string; interval: Interval | undefined },
): Said {
  const printedValue = cleanValue(text);
  const isGroup = /group|grupp|grupo|groupe|\babo\b|\brh/i.test(name);
  // "A Positive" is a blood group where blood groups are named; elsewhere it is a flag before a word.
  if (isGroup && flag === 'A') return { printedValue: `A ${printedValue}`, flag: '', isUnclear: false };
  const [, letter, rest] = /^(A)\s+(\p{L}.+)$/u.exec(printedValue) ?? [];
  if (letter && rest && !isGroup && !/^rh/i.test(rest))
    return { printedValue: rest, flag: flag || letter, isUnclear: false };
  const [, minus, digits] = /^([-−–])\s+(\S+)$/u.exec(printedValue) ?? [];
  if (!minus || !digits) return { printedValue, flag, isUnclear: false };
  const bounds = [interval?.min, interval?.max].filter((bound) => typeof bound === 'number');
  const isNegative = bounds.some((bound) => bound < 0);
  return bounds.length === 0 || isNegative
    ? { printedValue: `-${digits}`, flag, isUnclear: !isNegative }
    : { printedValue: digits, flag: flag || minus, isUnclear: false };
}

const numberIn = (text: string, sign: DecimalSign): PrintedNumber | undefined =>
  readNumber(text.replaceAll(/[()]/g, '').replace(/^([<>])\s*(?:or|o|ou)\s*=/iu, '$1='), sign) ??
  inWords(text, sign);

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
    .replace(/^[([]\s*([<>]?\s?\d[\d.,]*)\s*[)\]]$/u, '$1')
    .trim();

const cleanUnit = (text: string): string | null => {
  const unit = text
    .replace(/^[([]\s*(?=[^)\]]*[)\]]?$)/, '')
    .replace(/(?<![([][^)\]]*)[)\]]$/, '')
    .replace(/[,;:]$|(?<=\d)\.$/, '')
    .trim();
  return unit === '' ? null : unit;
};

/** "Normal: 70 - 99" is a range, and "Normal: 70 - 99; Impaired: 100 - 125" the first of its classes. */
const NORMAL = /^Normal(?:\s+range)?\s*:\s*(?=[^:;]+$)/iu;

/** The range as it is printed, its lines put together; null without one. */
function rangeOf(draft: Draft, unit: string | null, sign: DecimalSign): string | null {
  const lines = draft.range
    .flatMap(linesOf)
    .map(cleanRange)
    .filter((line) => line !== '');
  const [first = '', ...others] = lines;
  const whole = others.length === 0 ? [first.replace(NORMAL, '')] : lines;
  return first === '' ? null : withoutUnit(joinRange(whole, sign), unit, sign);
}

/** The lines of a cell, which may have become one line of a table. */
function linesOf(atoms: readonly Atom[]): string[] {
  const lines: Word[][] = [];
  for (const word of wordsOfAtoms(atoms)) {
    const before = lines.at(-1)?.at(-1);
    const isBelow =
      before && word.box.y0 > before.box.y0 + 0.5 * word.fontSize && word.box.x0 < before.box.x1;
    if (!before || isBelow) lines.push([word]);
    else lines.at(-1)?.push(word);
  }
  return lines.map(textOf);
}

/** The unit of the result, said once more behind the only interval of its range. */
function withoutUnit(range: string, unit: string | null, sign: DecimalSign): string {
  const [, bounds, printed] = /^(.*\d)\s*(\D\S*(?:\s\S+)?|[x×]\s?10\S+)$/u.exec(range) ?? [];
  const isSame = unit !== null && printed !== undefined && sameUnitKey(printed) === sameUnitKey(unit);
  return bounds && isSame && intervalsIn(range, sign).length === 1 ? bounds : range;
}

/** What is said of the sample or of the report, printed where the range ends. */
const REMARK =
  /(?<=\d\S*|^\p{L}[\p{L} -]*?)\s+[([]?(?:see (?:note|comment|below|report|remark)|h(?:a)?emoly[sz]|lip(?:a)?emic|icteric|hemoliz|emolis|h[ée]molys|hämoly|recheck|repeated|verified|confirmed|siehe |kontroll|ver (?:nota|obs|coment)|voir |vedi ).*$/iu;

function cleanRange(text: string): string {
  const clean = text
    .replace(/^[:;,]\s*|\s*[;,:]$/g, '')
    .replace(/\s*\(calc\.?\)$/i, '')
    .trim();
  const isWrapped = /^\([^()]*\)$|^\[[^[\]]*\]$/.test(clean);
  return (isWrapped ? clean.slice(1, -1) : clean)
    .replace(/^[([](?=[^)\]]*$)|(?<=^[^([]*)[)\]]$/gu, '')
    .replace(REMARK, '')
    .replace(/^(?:N|V\.?[NR]\.?|Ref\.?)(?:\s*:\s*|\s+(?=[\d<>≤≥\p{Ll}]))(?=[\d<>≤≥\p{L}])/u, '')
    .trim();
}

/** A specific gravity has a point in every country: 1.015 is no thousand. */
const signOf = (name: string, value: string, habit: DecimalSign): DecimalSign =>
  /^1\.0\d\d$/.test(value) && analyteOf(name) === 'gravity' ? '.' : habit;

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
