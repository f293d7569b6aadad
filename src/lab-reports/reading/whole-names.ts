import type { Atom, AtomKind } from './atom.ts';
import { namesAnalyte } from './lexicon/analytes.ts';
import { isOrganism } from './lexicon/qualities.ts';
import { textOf } from './rows.ts';
import { type Word, unite } from './word.ts';

/**
 * A line begins with a name where other segments follow, though the name may begin with what is a result elsewhere
 * ("Neisseria gonorrhoeae (PCR)") or end with a number or letter ("HPV genotype 16", "Rotavirus A").
 */
export function withWholeName(all: readonly Atom[]): Atom[] {
  const isApart = all.some(({ segment }) => segment > 0);
  const atoms = all.map((atom, index): Atom =>
    (isApart || (index === 0 && all[1]?.kind === 'number')) &&
    atom.kind === 'unit' &&
    atom.segment === 0 &&
    namesThough(all, index)
      ? { ...atom, kind: 'text' }
      : atom,
  );
  const [first, second] = atoms;
  // "pH, urine": no flag has a comma behind it, and what the name is of.
  if (first?.kind === 'flag' && first.text.endsWith(',') && second?.kind === 'text' && second.segment === 0)
    return withWholeName([{ ...merge(first, second.words), kind: 'text' }, ...atoms.slice(2)]);
  if (!first || first.segment > 0 || atoms.every(({ segment }) => segment === 0)) return [...atoms];
  if (first.kind === 'quality' && second?.kind === 'text' && second.segment === 0)
    return [{ ...merge(first, second.words), kind: 'text' }, ...atoms.slice(2)];
  if (first.kind === 'quality' && second?.kind === 'quality' && second.segment > 0 && isOrganism(first.text))
    return [{ ...first, kind: 'text' }, ...atoms.slice(1)];
  const whole = withoutNumber(atoms);
  if (whole) return whole;
  const end = atoms.findIndex(({ segment }) => segment > 0) - 1;
  const [number, found, ...others] = atoms.slice(end);
  const isOfName =
    end > 0 &&
    ((number?.kind === 'flag' && /^[ABCEN]$/.test(number.text)) ||
      (number?.kind === 'number' &&
        /^\d{1,3}$/.test(number.text) &&
        found?.kind === 'quality' &&
        others.every(({ kind }) => kind === 'quality' || kind === 'flag' || kind === 'blank')) ||
      (number?.kind === 'number' && /^\d$/.test(number.text) && isMeasured(found, others[0])));
  const name = atoms[end - 1];
  if (!isOfName || !number || name?.kind !== 'text') return atoms;
  return [...atoms.slice(0, end - 1), merge(name, number.words), ...atoms.slice(end + 1)];
}

const OF_NAME: ReadonlySet<AtomKind> = new Set(['text', 'number', 'range', 'flag', 'blank'] as const);
const FOUND: ReadonlySet<AtomKind> = new Set(['number', 'compared', 'quality'] as const);

/** "Vitamina D - 25 hidroxi   27,3" and "HIV 1 e 2 - antígeno   Negativo": a name goes on behind its number. */
function withoutNumber(atoms: readonly Atom[]): Atom[] | undefined {
  const name = atoms.filter(({ segment }) => segment === 0);
  const [first, last] = [name[0], name.at(-1)];
  const isFound = atoms.some(
    ({ kind, segment, said }) => segment > 0 && said === undefined && FOUND.has(kind),
  );
  const isWhole =
    first?.kind === 'text' &&
    last?.kind === 'text' &&
    /\p{L}{4}/u.test(last.text) &&
    name.some(({ kind, text }) => kind !== 'text' && (kind !== 'flag' || /^[A-E]$/.test(text))) &&
    name.every((atom) => OF_NAME.has(atom.kind) && atom.said === undefined && !isAmount(atom));
  if (!isFound || !isWhole || !first) return undefined;
  return [
    merge(
      first,
      name.slice(1).flatMap(({ words }) => words),
    ),
    ...atoms.slice(name.length),
  ];
}

/** "Alpha 1   0.22 g/dl": of two numbers the one with its unit was measured, and the digit ends the name. */
const isMeasured = (found: Atom | undefined, unit: Atom | undefined): boolean =>
  (found?.kind === 'number' || found?.kind === 'compared') &&
  unit?.kind === 'unit' &&
  unit.segment === found.segment;

/** What a name has no more than one digit or two of is no amount. */
const isAmount = ({ kind, text }: Atom): boolean =>
  (kind === 'number' && !/^\d{1,3}$/.test(text)) || (kind === 'range' && !/^\d \p{L} \d[,;]?$/u.test(text));

const TIME =
  /^\d{1,3}\s(?:min(?:ute[sn]?|utos?|uti)?\.?|['′])\s\d{1,2}\s(?:s|secs?|segs?|sek|seconds?|segundos?|sekunden|secondes?|secondi|["″])\.?$/iu;

/** "Bleeding time   2 min 30 sec" is one time, told in two numbers. */
export const withTimes = (atoms: readonly Atom[]): Atom[] => {
  const at = atoms.findIndex(({ kind, segment }, index) => {
    const cell = atoms.slice(index).filter((atom) => atom.segment === segment);
    return kind === 'number' && TIME.test(textOf(cell.flatMap(({ words }) => words)));
  });
  const [first] = atoms.slice(at);
  if (at < 0 || !first) return [...atoms];
  const cell = atoms.slice(at).filter(({ segment }) => segment === first.segment);
  const time = merge(
    first,
    cell.slice(1).flatMap(({ words }) => words),
  );
  return [...atoms.slice(0, at), { ...time, kind: 'quality' }, ...atoms.slice(at + cell.length)];
};

/** "INR (Quick)" and "INR   1,02" begin with what is a unit elsewhere; a unit with a fraction is one here too. */
const namesThough = (atoms: readonly Atom[], index: number): boolean =>
  isInrOfName(atoms, index) ||
  /^\p{L}{4,}$/u.test(atoms[index]?.text ?? '') ||
  (index === 0 &&
    /^\p{L}{3}$/u.test(atoms[0]?.text ?? '') &&
    (atoms[1]?.kind === 'text'
      ? atoms[1].segment === 0
      : atoms[1]?.kind === 'number' && namesAnalyte(atoms[0]?.text ?? '')));

/** A piece with further words. */
export const merge = (atom: Atom, words: readonly Word[]): Atom => {
  const all = [...atom.words, ...words];
  return { ...atom, words: all, text: textOf(all), box: unite(all.map((word) => word.box)) };
};

/** "PT (INR)   2,71" and "TP - INR   1,03": a name without a number before the gap. */
const isInrOfName = (atoms: readonly Atom[], index: number): boolean =>
  /^\(?INR\)?$/.test(atoms[index]?.text ?? '') &&
  index > 0 &&
  atoms.some(({ segment }) => segment > 0) &&
  atoms.every(({ segment, kind }) => segment > 0 || kind === 'text' || kind === 'blank' || kind === 'unit');
