import { textOfAtoms } from './drafts.ts';
import { isHeadLabel, sentenceShare } from './lexicon/not-results.ts';
import type { ParsedRow } from './regions.ts';
import { textOf } from './rows.ts';

/** Fewer words are a result with a stop behind it: "Urea 6.2 mmol/L." */
const LEAST_WORDS = 5;
/** A stop behind a whole word, a number, a bracket or a unit, and what a new sentence begins with. */
const NEXT_SENTENCE = /(?:\p{L}{4}|[\d)%])\.\s+\p{Lu}\p{L}/u;

/** How much speaks against a line being a result because of its form: a sentence, a number of somebody, a frame. */
export function noResultEvidence(parsed: ParsedRow): number {
  if (isNumberOf(parsed) || isOfLabel(parsed)) return -6;
  if (isFramed(parsed) || isRemark(parsed)) return -4;
  const isFiled = parsed.parts.range.some(({ text }) => /\p{L}/u.test(text) && isNumbering(text));
  return isSentence(parsed) || isFiled ? -3 : 0;
}

/** "Start vitamin D 2000 units daily.": a line in one piece that goes on behind its amount and ends with a stop. */
function isSentence({ row, atoms, parts }: ParsedRow): boolean {
  const [value] = parts.value;
  if (!value || atoms.some(({ segment, said }) => segment !== value.segment || said !== undefined))
    return false;
  const behind = atoms.slice(atoms.indexOf(value));
  if (NEXT_SENTENCE.test(textOfAtoms(behind)) && row.words.length > LEAST_WORDS) return true;
  const text = textOf(row.words);
  if (!/[\p{L})]\.$/u.test(text) || row.words.length <= LEAST_WORDS - 1 || value.kind === 'quality')
    return false;
  const isInWords = value.kind === 'compared' && /\p{L}/u.test(value.text);
  return (
    isInWords || sentenceShare(text) >= 0.15 || behind.some((atom) => atom !== value && atom.kind === 'text')
  );
}

/** "Lic. No. 0012345": no is no finding before a number. */
function isNumberOf({ atoms, parts }: ParsedRow): boolean {
  const [value] = parts.value;
  const next = value && atoms[atoms.indexOf(value) + 1];
  return (
    value !== undefined &&
    /^n[or]?[.º°]*$/iu.test(value.text) &&
    next?.segment === atoms[atoms.indexOf(value)]?.segment &&
    /\d|^\p{L}$/u.test(next?.text ?? '')
  );
}

/** "Patient: ..." where a result stands elsewhere. */
function isOfLabel({ parts }: ParsedRow): boolean {
  const [label, behind] = textOfAtoms(parts.value).split(':');
  return behind !== undefined && parts.value[0]?.kind === 'text' && isHeadLabel(label ?? '');
}

/** "*** BLOOD GASES ***" and nothing but stars for a result. */
const isFramed = ({ parts }: ParsedRow): boolean =>
  /^[*#=~_-]{2,}$/u.test(textOfAtoms(parts.value)) && parts.unit.length + parts.range.length === 0;

/** "Urea and electrolytes - (SR) - Normal, no action": what a doctor has said of a whole panel. */
const OF_PANEL =
  /\s[-–]\s(?:\(\p{Lu}{1,4}\)\s[-–]\s\D+|(?:ab)?normal[\s,–-]+(?:no (?:further )?action|contact patient|speak to)\D*)$/iu;

/** "(Normal, No action)" behind the name of a panel: none of what stands between brackets is a finding. */
function isRemark({ row, parts }: ParsedRow): boolean {
  const [value] = parts.value;
  if (value?.kind !== 'number' && row.segments.length === 1 && OF_PANEL.test(textOf(row.words))) return true;
  const cell = value?.kind !== 'number' && value !== undefined ? row.segments[value.segment] : undefined;
  return cell !== undefined && /^\([^()\d]+,[^()\d]+\)$/u.test(textOf(cell.words));
}

/** "Lab Ref: 26-0071400": bounds that lie so far apart, or begin with nought, are the number of something. */
export function isNumbering(text: string): boolean {
  const [, least = '', most = ''] = /(\d{1,6})-(\d{5,})$/u.exec(text) ?? [];
  return most !== '' && (most.startsWith('0') || Number(most) > 1000 * Math.max(1, Number(least)));
}
