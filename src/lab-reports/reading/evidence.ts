import type { Atom } from './atoms.ts';
import { gapTo, type Column } from './columns.ts';
import { textOfAtoms } from './drafts.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { isGrade, isHeadLabel, sentenceShare } from './lexicon/not-results.ts';
import { bare } from './plain.ts';
import type { ParsedRow } from './regions.ts';

/** What speaks for a line being a result. */
export const ENOUGH = 2;

export interface Claim {
  readonly name: string;
  readonly parsed: ParsedRow;
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
}

/** How much speaks for a line being a result under this name; less than ENOUGH is not. */
export function evidenceOf({ name, parsed, columns, hasHeader }: Claim): number {
  const [value] = parsed.parts.value;
  if (!value || !/\p{L}/u.test(name)) return -9;
  return (
    proseEvidence(parsed) +
    runningEvidence(parsed) +
    nameEvidence(name) +
    valueEvidence(
      { ...value, text: textOfAtoms(parsed.parts.value) },
      isCell({ parsed, columns, hasHeader }),
    ) +
    companyEvidence(parsed) +
    placeEvidence(value, columns, hasHeader)
  );
}

function nameEvidence(name: string): number {
  const words = bare(name).split(' ');
  const label = name.replace(/\s*[:.]+\s*$/, '');
  if (isHeadLabel(label) || isHeadLabel(label.split(/[:(]/)[0] ?? '')) return -6;
  if (isGrade(label) || (name.includes(':') && isGrade(label.split(':')[0] ?? ''))) return -6;
  const known = namesAnalyte(name) ? 1.6 : 0;
  const length = words.length > 12 ? -4 : words.length > 8 ? -1.2 : 0;
  const sentence = words.length > 3 && sentenceShare(name) > 0.34 ? -3 : 0;
  const prose = /[.;]\s+\p{Lu}|[,.;]$/u.test(name.trim()) && words.length > 4 ? -1 : 0;
  const short = words.join('').length < 2 ? -1.5 : 0;
  const digits = (name.match(/\d/g)?.length ?? 0) > name.length / 2 ? -3 : 0;
  const clause = /\p{L}{3}:\s\p{L}/u.test(name) ? -1.5 : 0;
  const unitFirst = /^(?:mg|g|ng|pg|mmol|nmol|[uµ]g)\//.test(name) ? -3 : 0;
  const address =
    /https?:|www\.|@|\bpage\b|\bsuite\b|©|\bISO\b|\bp\.?o\.? box\b|\bend of (?:the )?report\b/i.test(name)
      ? -5
      : 0;
  return known + length + sentence + prose + short + digits + clause + unitFirst + address;
}

/** Tables of what values mean, and sentences, have more numbers and words than a result has places. */
function proseEvidence({ parts, atoms }: ParsedRow): number {
  const numbers = parts.skip.filter(
    ({ kind }) => kind === 'range' || kind === 'compared' || kind === 'number',
  ).length;
  const words = parts.skip.reduce((sum, atom) => sum + (atom.kind === 'text' ? atom.words.length : 0), 0);
  const grades = atoms.filter(
    (atom) =>
      atom.kind !== 'range' &&
      !parts.value.includes(atom) &&
      !parts.range.includes(atom) &&
      !parts.previous.includes(atom) &&
      /\p{L}{3}/u.test(atom.text) &&
      isGrade(atom.text.replace(/^.*?(?=\p{L}+\s*:?$)/u, '')),
  ).length;
  const legend = atoms.filter(({ words: own }) => own.some(({ text }) => text === '=')).length;
  return (legend > 1 ? -3 : 0) + (numbers > 1 ? -2.5 : 0) + (words > 4 ? -1.5 : 0) + (grades > 2 ? -2 : 0);
}

/** Words and numbers within running text, where no gap parts a value from what stands beside it. */
function runningEvidence({ parts, atoms, cost }: ParsedRow): number {
  const first = atoms.indexOf(parts.value[0] ?? NOTHING);
  const value = atoms[first];
  const next = atoms[first + parts.value.length];
  const after =
    next?.kind === 'quality' && !parts.range.includes(next) ? atoms[atoms.indexOf(next) + 1] : next;
  const before = atoms[first - 1];
  if (!value) return 0;
  const isProse = (other: Atom | undefined): boolean =>
    other?.kind === 'text' && other.segment === value.segment && /\p{L}{2}[\p{L}\s,.-]*$/u.test(other.text);
  const length = isProse(after) ? (after?.words.length ?? 0) : 0;
  const words = parts.range.includes(after ?? NOTHING) && length < 4 ? 0 : length;
  if (value.kind === 'text') return isProse(before) || cost > 9 ? -3 : 0;
  if (words > 1 && parts.name[0] && parts.name[0].box.x0 > value.box.x0) return -3;
  const isSentence = words > 3 || (words > 0 && (isProse(before) || value.kind === 'quality'));
  return isSentence && !value.said ? -3.5 : 0;
}

const NOTHING: Atom = {
  kind: 'blank',
  text: '',
  words: [],
  box: { x0: 0, x1: 0, y0: 0, y1: 0 },
  segment: -1,
};

/** Whether a value in words stands in its column as the cell of a table: by itself, and not too long. */
function isCell({ parsed: { parts }, columns, hasHeader }: Omit<Claim, 'name'>): boolean {
  const [value] = parts.value;
  const [name] = parts.name;
  if (!hasHeader || !value || !name || value.segment === name.segment) return false;
  const words = textOfAtoms(parts.value).split(' ').length;
  const isIn = columns.some((column) => column.role === 'value' && gapTo(column, value.box) === 0);
  const isFirst = columns.some((column) => column.role === 'name' && Math.abs(name.box.x0 - column.x0) < 16);
  return words < 6 && isIn && isFirst;
}

function valueEvidence(value: Atom, isInCell: boolean): number {
  if (value.kind === 'number') return /^\d{6,}$/.test(value.text) ? -2 : 0.4;
  if (value.kind === 'compared') return 0.2;
  if (value.kind === 'quality') return value.text.startsWith('(') && value.text.length > 4 ? -2 : 0.6;
  if (value.kind === 'range') return -0.8;
  if (value.kind === 'text')
    return isInCell && !(value.text.split(' ').length > 3 && sentenceShare(value.text) > 0.2) ? -0.1 : -3;
  return value.kind === 'flag' ? -0.4 : -3;
}

function companyEvidence({ parts }: ParsedRow): number {
  const unit = parts.unit.length > 0 ? 1.6 : 0;
  const range = parts.range.some((atom) => atom.kind !== 'text') ? 1.6 : 0;
  const flag = parts.flag.length > 0 ? 0.8 : 0;
  const said = parts.value.some((atom) => atom.said === 'value') ? 1 : 0;
  const words = range === 0 && parts.range[0] && parts.range[0].segment !== parts.value[0]?.segment ? 0.8 : 0;
  return unit + range + flag + said + words;
}

function placeEvidence(value: Atom, columns: readonly Column[], hasHeader: boolean): number {
  const own = columns.filter((column) => column.role === 'value');
  if (own.length === 0) return 0;
  const gap = Math.min(...own.map((column) => gapTo(column, value.box)));
  if (gap > 12) return hasHeader ? -1.2 : -0.8;
  return hasHeader ? 1.4 : 0.6;
}
