import type { Atom } from './atoms.ts';
import { matchColumnRole } from './lexicon/column-headings.ts';
import { isCountUnit, UNKNOWN_COUNT } from './amount-pairs.ts';
import { normalizeWords } from './text-normalization.ts';
import { type TextRow, type RowSegment, joinWords } from './rows.ts';
import { isUnit } from './units.ts';
import type { BoundingBox } from './report-model.ts';

interface HeadedLine {
  readonly row: TextRow;
  readonly atoms: readonly Atom[];
}

/** One heading of a differential; `unit` is the unit of its numbers, empty for a count whose unit is not printed. */
interface UnitHeading {
  readonly box: BoundingBox;
  readonly unit?: string;
  readonly isRange?: true;
}

const SHARE =
  /^(?:%|relativ[aeo]?s?|rel|relat|percent|percentage|porcentaje|percentual|porcentagem|pourcentage|prozent|percentuale|anteil|anteil in %)$/u;
const COUNT = /^(?:abs|absolut[aeo]?s?|absolute count|absolus?|absolues?|assolut[aeio])$/u;
/** "Valor relativo", "Relativo %". */
const FILLER = /^(?:valor(?:es)?|value|wert|valeurs?|valor[ei]|resultado|em|in|en) | %$/gu;

/** In points: the largest gap between a number and its heading. */
const MOST_GAP = 8;

/** "55,0 %  soit 3,96": a count without a printed unit. */
const EQUIVALENCE_WORD = /^(?:soit|i\.?e\.?|d\.?h\.?|entspr\.?|ossia|o sea|ou seja|=)$/iu;

/** Adds the unit of the heading to each number under "%   /mm³" in a differential. */
export function withHeadingUnits(
  lines: readonly HeadedLine[],
  above: readonly TextRow[],
): readonly HeadedLine[] {
  return applyHeadings(lines, above).map((line) =>
    line.atoms.some(({ text }) => EQUIVALENCE_WORD.test(text))
      ? { ...line, atoms: addUnknownCountUnits(line.atoms) }
      : line,
  );
}

function applyHeadings(lines: readonly HeadedLine[], above: readonly TextRow[]): readonly HeadedLine[] {
  let headings = above.map(readUnitHeadings).find((some) => some.length > 0) ?? [];
  if (headings.length === 0 && !lines.some(({ row }) => readUnitHeadings(row).length > 0)) return lines;
  return lines.map((line) => {
    const own = isPair(readUnitHeadings(line.row)) ? readUnitHeadings(line.row) : [];
    if (own.length > 0) headings = own;
    else if (headings.length > 0 && isOutsideHeadings(line, headings)) headings = [];
    return own.length > 0 || headings.length === 0
      ? line
      : { ...line, atoms: addHeadingUnits(line.atoms, headings) };
  });
}

const isPair = (headings: readonly UnitHeading[]): boolean =>
  headings.filter(({ unit }) => unit === '%').length === 1 &&
  headings.filter(({ unit }) => unit !== undefined && unit !== '%').length === 1;

/** The unit headings of a row with exactly one share; empty for other rows. */
function readUnitHeadings({ segments }: TextRow): UnitHeading[] {
  const headings = segments.flatMap((segment) => readUnitHeading(segment) ?? []);
  return headings.filter(({ unit }) => unit === '%').length === 1 ? headings : [];
}

function readUnitHeading({ words, box }: RowSegment): UnitHeading | undefined {
  const text = joinWords(words);
  if (matchColumnRole(text) === 'range') return { box, isRange: true };
  const [, before = text, inside] = /^(.*?)\s*[([]([^()[\]]+)[)\]]$/u.exec(text) ?? [];
  const phrase = normalizeWords(before).replaceAll(FILLER, '').trim();
  const unit = [inside, text].find((part) => part !== undefined && isUnit(part));
  if (text === '%' || text === '(%)' || SHARE.test(phrase)) return { box, unit: '%' };
  if (COUNT.test(phrase)) return { box, unit: unit ?? '' };
  return unit !== undefined && isCountUnit(unit) ? { box, unit } : undefined;
}

/** A row of results with numbers under none of the headings. */
function isOutsideHeadings({ atoms }: HeadedLine, headings: readonly UnitHeading[]): boolean {
  const numbers = atoms.filter(({ kind, segment }) => kind === 'number' && segment > 0);
  return numbers.length > 0 && isPair(headings) && numbers.every((atom) => !findHeadingOver(atom, headings));
}

function addHeadingUnits(atoms: readonly Atom[], headings: readonly UnitHeading[]): Atom[] {
  return atoms.flatMap((atom, index) => {
    if (atom.kind !== 'number' || atom.segment === 0 || atom.labelRole) return [atom];
    const heading = findHeadingOver(atom, headings);
    const next = atoms[index + 1];
    if (!heading || (next?.kind === 'unit' && next.segment === atom.segment)) return [atom];
    // "Atypical   0   0   0": the expected value is a single number.
    if (heading.isRange)
      return index === atoms.length - 1 && index > 2 ? [{ ...atom, kind: 'range' }] : [atom];
    return [atom, buildUnitAtom(atom, heading.unit ?? '')];
  });
}

/** The unit atom of a number by its heading; a count with an unknown unit gets one without words. */
function buildUnitAtom(atom: Atom, unit: string): Atom {
  const [word] = atom.words;
  const words = word && unit !== '' ? [{ ...word, text: unit }] : [];
  return { ...atom, kind: 'unit', text: unit === '' ? UNKNOWN_COUNT : unit, words };
}

function addUnknownCountUnits(atoms: readonly Atom[]): Atom[] {
  return atoms.flatMap((atom, index) => {
    const [share, word] = [atoms[index - 2], atoms[index - 1]];
    const isOther =
      atom.kind === 'number' &&
      share?.kind === 'unit' &&
      share.text === '%' &&
      word !== undefined &&
      EQUIVALENCE_WORD.test(word.text) &&
      atoms[index + 1]?.kind !== 'unit';
    return isOther ? [atom, buildUnitAtom(atom, '')] : [atom];
  });
}

/** The nearest heading, if the number is under it. */
function findHeadingOver({ box }: Atom, headings: readonly UnitHeading[]): UnitHeading | undefined {
  const gap = (other: BoundingBox): number => Math.max(0, other.x0 - box.x1, box.x0 - other.x1);
  const [first] = headings.toSorted((a, b) => gap(a.box) - gap(b.box));
  return first && gap(first.box) < MOST_GAP ? first : undefined;
}
