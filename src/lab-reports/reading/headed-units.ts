import type { Atom } from './atoms.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { isCount, UNKNOWN_COUNT } from './pairs.ts';
import { bare } from './plain.ts';
import { type Row, type Segment, textOf } from './rows.ts';
import { isUnit } from './units.ts';
import type { Box } from './word.ts';

interface Line {
  readonly row: Row;
  readonly atoms: readonly Atom[];
}

/** One heading of a differential; `unit` is what its numbers are in, empty where that is a count and no more is said. */
interface Heading {
  readonly box: Box;
  readonly unit?: string;
  readonly isRange?: true;
}

const SHARE =
  /^(?:%|relativ[aeo]?s?|rel|relat|percent|percentage|porcentaje|percentual|porcentagem|pourcentage|prozent|percentuale|anteil|anteil in %)$/u;
const COUNT = /^(?:abs|absolut[aeo]?s?|absolute count|absolus?|absolues?|assolut[aeio])$/u;
/** "Valor relativo", "Relativo %". */
const AROUND = /^(?:valor(?:es)?|value|wert|valeurs?|valor[ei]|resultado|em|in|en) | %$/gu;

/** Between a number and the heading that it stands under, in points. */
const BESIDE = 8;

/** "55,0 %  soit 3,96": a count of which nobody says the unit. */
const THAT_IS = /^(?:soit|i\.?e\.?|d\.?h\.?|entspr\.?|ossia|o sea|ou seja|=)$/iu;

/** "%   /mm³" over the columns of a differential: its numbers as if each had its unit behind it. */
export function withHeadedUnits(lines: readonly Line[], above: readonly Row[]): readonly Line[] {
  return underHeadings(lines, above).map((line) =>
    line.atoms.some(({ text }) => THAT_IS.test(text)) ? { ...line, atoms: saidOtherwise(line.atoms) } : line,
  );
}

function underHeadings(lines: readonly Line[], above: readonly Row[]): readonly Line[] {
  let headings = above.map(headingsOf).find((some) => some.length > 0) ?? [];
  if (headings.length === 0 && !lines.some(({ row }) => headingsOf(row).length > 0)) return lines;
  return lines.map((line) => {
    const own = isPair(headingsOf(line.row)) ? headingsOf(line.row) : [];
    if (own.length > 0) headings = own;
    else if (headings.length > 0 && isElsewhere(line, headings)) headings = [];
    return own.length > 0 || headings.length === 0 ? line : { ...line, atoms: told(line.atoms, headings) };
  });
}

const isPair = (headings: readonly Heading[]): boolean =>
  headings.filter(({ unit }) => unit === '%').length === 1 &&
  headings.filter(({ unit }) => unit !== undefined && unit !== '%').length === 1;

/** The headings of a line that has one of a share; none where it has something else. */
function headingsOf({ segments }: Row): Heading[] {
  const headings = segments.flatMap((segment) => headingOf(segment) ?? []);
  return headings.filter(({ unit }) => unit === '%').length === 1 ? headings : [];
}

function headingOf({ words, box }: Segment): Heading | undefined {
  const text = textOf(words);
  if (roleOfHeading(text) === 'range') return { box, isRange: true };
  const [, before = text, inside] = /^(.*?)\s*[([]([^()[\]]+)[)\]]$/u.exec(text) ?? [];
  const phrase = bare(before).replaceAll(AROUND, '').trim();
  const unit = [inside, text].find((part) => part !== undefined && isUnit(part));
  if (text === '%' || text === '(%)' || SHARE.test(phrase)) return { box, unit: '%' };
  if (COUNT.test(phrase)) return { box, unit: unit ?? '' };
  return unit !== undefined && isCount(unit) ? { box, unit } : undefined;
}

/** A line of results that has units of its own, or numbers that stand under none of the headings. */
function isElsewhere({ atoms }: Line, headings: readonly Heading[]): boolean {
  const numbers = atoms.filter(({ kind, segment }) => kind === 'number' && segment > 0);
  return numbers.length > 0 && isPair(headings) && numbers.every((atom) => !headingOver(atom, headings));
}

function told(atoms: readonly Atom[], headings: readonly Heading[]): Atom[] {
  return atoms.flatMap((atom, index) => {
    if (atom.kind !== 'number' || atom.segment === 0 || atom.said) return [atom];
    const heading = headingOver(atom, headings);
    const next = atoms[index + 1];
    if (!heading || (next?.kind === 'unit' && next.segment === atom.segment)) return [atom];
    // "Atypical   0   0   0": what is expected is a single number.
    if (heading.isRange)
      return index === atoms.length - 1 && index > 2 ? [{ ...atom, kind: 'range' }] : [atom];
    return [atom, unitAtom(atom, heading.unit ?? '')];
  });
}

/** The unit that a number has by its heading; a count of which no more is known has one without words. */
function unitAtom(atom: Atom, unit: string): Atom {
  const [word] = atom.words;
  const words = word && unit !== '' ? [{ ...word, text: unit }] : [];
  return { ...atom, kind: 'unit', text: unit === '' ? UNKNOWN_COUNT : unit, words };
}

function saidOtherwise(atoms: readonly Atom[]): Atom[] {
  return atoms.flatMap((atom, index) => {
    const [share, word] = [atoms[index - 2], atoms[index - 1]];
    const isOther =
      atom.kind === 'number' &&
      share?.kind === 'unit' &&
      share.text === '%' &&
      word !== undefined &&
      THAT_IS.test(word.text) &&
      atoms[index + 1]?.kind !== 'unit';
    return isOther ? [atom, unitAtom(atom, '')] : [atom];
  });
}

/** The nearest heading, where a number stands under it. */
function headingOver({ box }: Atom, headings: readonly Heading[]): Heading | undefined {
  const gap = (other: Box): number => Math.max(0, other.x0 - box.x1, box.x0 - other.x1);
  const [first] = headings.toSorted((a, b) => gap(a.box) - gap(b.box));
  return first && gap(first.box) < BESIDE ? first : undefined;
}
