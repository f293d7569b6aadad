import type { Atom } from './atoms.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import {
  EARLIER_RESULT_PHRASE,
  isGenericName,
  isGrade,
  isHeaderLabel,
  measureSentenceShare,
  RANGE_PHRASE,
  TARGET_PHRASE,
} from './lexicon/non-results.ts';
import { normalizeWords } from './text-normalization.ts';
import { EQUIVALENCE_PHRASE } from './unit-systems.ts';

/** A result by the form and order of its words alone: a known name, then its amount with unit or range. */
export interface WholeForm {
  readonly name: readonly Atom[];
  readonly value: Atom;
  readonly flag: readonly Atom[];
  readonly unit: readonly Atom[];
  readonly range: readonly Atom[];
  /** Remarks and previous results behind it. */
  readonly rest: readonly Atom[];
}

const AMOUNTS: ReadonlySet<Atom['kind']> = new Set(['number', 'compared'] as const);

/** Splits the atoms of a row into whole results; undefined if one of its parts has another form. */
export function readWholeForms(atoms: readonly Atom[]): readonly WholeForm[] | undefined {
  const forms: WholeForm[] = [];
  let left = atoms.filter(isTelling);
  while (left.length > 0) {
    const form = readWholeForm(left);
    if (!form) return undefined;
    forms.push(form);
    const taken = [...form.name, form.value, ...form.flag, ...form.unit, ...form.range, ...form.rest];
    left = left.slice(taken.length);
  }
  return forms.length > 0 ? forms : undefined;
}

/** What a label says about sample, method or day is not a part of the result. */
const isTelling = ({ kind, labelRole }: Atom): boolean =>
  kind !== 'blank' && kind !== 'label' && labelRole !== 'method' && labelRole !== 'other';

function readWholeForm(atoms: readonly Atom[]): WholeForm | undefined {
  const at = atoms.findIndex(({ kind }) => AMOUNTS.has(kind));
  const [name, value] = [atoms.slice(0, at), atoms[at]];
  if (!value || !isKnownName(name)) return undefined;
  const behind = atoms.slice(at + 1);
  const next = behind.findIndex((atom, index) => isNextName(behind, index));
  const own = next < 0 ? behind : behind.slice(0, next);
  const unit = own.filter(({ kind }) => kind === 'unit').slice(0, 1);
  const range = own.filter((atom) => atom.kind === 'range' || atom.kind === 'compared').slice(0, 1);
  const flag = own.filter(({ kind }) => kind === 'flag').slice(0, 1);
  const told = new Set([...unit, ...range, ...flag]);
  const rest = own.filter((atom) => !told.has(atom));
  if (!isMeasured({ value, unit, range }, own) || !rest.every(isRemark)) return undefined;
  return { name, value, flag, unit, range, rest };
}

/** A number with its unit or range right behind it; a bound needs both, or it may be a range itself. */
function isMeasured(
  { value, unit, range }: Pick<WholeForm, 'value' | 'unit' | 'range'>,
  own: readonly Atom[],
): boolean {
  const first = own.find(({ kind }) => kind !== 'flag');
  if (!first || (!unit.includes(first) && !range.includes(first))) return false;
  return value.kind === 'number' || (unit.length > 0 && range.length > 0);
}

/** Behind a result: its previous result and day, its range repeated, a unit of the range, a short remark. */
const isRemark = (atom: Atom): boolean =>
  atom.kind === 'text' ? atom.words.length < 4 && !/[.:]$|\p{L}[.;]\s/u.test(atom.text) : true;

const isNextName = (atoms: readonly Atom[], index: number): boolean => {
  const [atom, after] = [atoms[index], atoms[index + 1]];
  return atom?.kind === 'text' && after !== undefined && AMOUNTS.has(after.kind) && isKnownName([atom]);
};

const MOST_WORDS = 7;

/** The name of an analyte, and neither a phrase of a sentence nor a label, a grade or a target. */
function isKnownName(atoms: readonly Atom[]): boolean {
  const name = atoms
    .map(({ text }) => text)
    .join(' ')
    .replace(/^[;,|•*-]\s*|\s*[:=]$/gu, '');
  const words = normalizeWords(name).split(' ');
  return (
    atoms.length > 0 &&
    atoms.every(({ kind }) => kind === 'text') &&
    /^\p{L}|^\d{1,2}[-,(]/u.test(name) &&
    words.length <= MOST_WORDS &&
    hasAnalyteWord(name) &&
    measureSentenceShare(name) < 0.3 &&
    !/[.:;]\s/u.test(name) &&
    !isGrade(name) &&
    !isHeaderLabel(name) &&
    !isGenericName(name) &&
    ![RANGE_PHRASE, EARLIER_RESULT_PHRASE, EQUIVALENCE_PHRASE, TARGET_PHRASE].some((phrase) =>
      phrase.test(name),
    )
  );
}
