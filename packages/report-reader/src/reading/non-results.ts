import { joinAtomText } from './result-draft.ts';
import { isHeaderLabel, measureSentenceShare } from './lexicon/non-results.ts';
import type { ParsedRow } from './regions.ts';
import { joinWords } from './rows.ts';

/** Shorter rows are results with a period: "Urea 6.2 mmol/L." */
const LEAST_WORDS = 5;
/** A period after a whole word, number, bracket or unit, followed by the start of a sentence. */
const NEXT_SENTENCE = /(?:\p{L}{4}|[\d)%])\.\s+\p{Lu}\p{L}/u;

/** Negative score for a row that by its form is not a result: a sentence, an identifier, a frame. */
export function scoreNonResult(parsed: ParsedRow): number {
  if (isNumberLabel(parsed) || isHeaderFieldValue(parsed)) return -6;
  if (isFramed(parsed) || isPanelRemark(parsed)) return -4;
  const isFiled = parsed.parts.range.some(({ text }) => /\p{L}/u.test(text) && isIdentifierRange(text));
  return isSentence(parsed) || isFiled ? -3 : 0;
}

/** "Start vitamin D 2000 units daily.": one segment that continues after its amount and ends with a period. */
function isSentence({ row, atoms, parts }: ParsedRow): boolean {
  const [value] = parts.value;
  if (!value || atoms.some(({ segment, labelRole }) => segment !== value.segment || labelRole !== undefined))
    return false;
  const behind = atoms.slice(atoms.indexOf(value));
  if (NEXT_SENTENCE.test(joinAtomText(behind)) && row.words.length > LEAST_WORDS) return true;
  const text = joinWords(row.words);
  if (!/[\p{L})]\.$/u.test(text) || row.words.length <= LEAST_WORDS - 1 || value.kind === 'quality')
    return false;
  const isInWords = value.kind === 'compared' && /\p{L}/u.test(value.text);
  return (
    isInWords ||
    measureSentenceShare(text) >= 0.15 ||
    behind.some((atom) => atom !== value && atom.kind === 'text')
  );
}

/** "Lic. No. 0012345": "No" before a number is not a finding. */
function isNumberLabel({ atoms, parts }: ParsedRow): boolean {
  const [value] = parts.value;
  const next = value && atoms[atoms.indexOf(value) + 1];
  return (
    value !== undefined &&
    /^n[or]?[.º°]*$/iu.test(value.text) &&
    next?.segment === atoms[atoms.indexOf(value)]?.segment &&
    /\d|^\p{L}$/u.test(next?.text ?? '')
  );
}

/** "Patient: ..." in the place of a result. */
function isHeaderFieldValue({ parts }: ParsedRow): boolean {
  const [label, behind] = joinAtomText(parts.value).split(':');
  return behind !== undefined && parts.value[0]?.kind === 'text' && isHeaderLabel(label ?? '');
}

/** "*** BLOOD GASES ***" with only stars as a value. */
const isFramed = ({ parts }: ParsedRow): boolean =>
  /^[*#=~_-]{2,}$/u.test(joinAtomText(parts.value)) && parts.unit.length + parts.range.length === 0;

/** "Urea and electrolytes - (SR) - Normal, no action": a doctor's remark on a whole panel. */
const PANEL_REMARK =
  /\s[-–]\s(?:\(\p{Lu}{1,4}\)\s[-–]\s\D+|(?:ab)?normal[\s,–-]+(?:no (?:further )?action|contact patient|speak to)\D*)$/iu;

/** "(Normal, No action)" after the name of a panel: nothing within the brackets is a finding. */
function isPanelRemark({ row, parts }: ParsedRow): boolean {
  const [value] = parts.value;
  if (value?.kind !== 'number' && row.segments.length === 1 && PANEL_REMARK.test(joinWords(row.words)))
    return true;
  const cell = value?.kind !== 'number' && value !== undefined ? row.segments[value.segment] : undefined;
  return cell !== undefined && /^\([^()\d]+,[^()\d]+\)$/u.test(joinWords(cell.words));
}

/** "Lab Ref: 26-0071400": bounds that are too far apart, or begin with zero, are an identifier. */
export function isIdentifierRange(text: string): boolean {
  const [, least = '', most = ''] = /(\d{1,6})-(\d{5,})$/u.exec(text) ?? [];
  return most !== '' && (most.startsWith('0') || Number(most) > 1000 * Math.max(1, Number(least)));
}
