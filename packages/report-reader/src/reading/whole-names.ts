import type { Atom, AtomKind } from './atom.ts';
import { hasAnalyteWord } from './lexicon/analytes.ts';
import { isOrganism } from './lexicon/qualitative-results.ts';
import { joinWords } from './rows.ts';
import { type ReportWord, uniteBoxes } from './report-model.ts';

/**
 * Joins the name at the start of a row if other segments follow, even if it begins with what is a result elsewhere
 * ("Neisseria gonorrhoeae (PCR)") or ends with a number or letter ("HPV genotype 16", "Rotavirus A").
 */
export function withWholeName(all: readonly Atom[]): Atom[] {
  const isApart = all.some(({ segment }) => segment > 0);
  const atoms = all.map((atom, index): Atom =>
    (isApart || (index === 0 && all[1]?.kind === 'number')) &&
    atom.kind === 'unit' &&
    atom.segment === 0 &&
    isNameDespiteUnit(all, index)
      ? { ...atom, kind: 'text' }
      : atom,
  );
  const [first, second] = atoms;
  // "pH, urine": a flag has no comma after it, and the name continues.
  if (first?.kind === 'flag' && first.text.endsWith(',') && second?.kind === 'text' && second.segment === 0)
    return withWholeName([{ ...appendWords(first, second.words), kind: 'text' }, ...atoms.slice(2)]);
  if (!first || first.segment > 0 || atoms.every(({ segment }) => segment === 0)) return [...atoms];
  if (first.kind === 'quality' && second?.kind === 'text' && second.segment === 0)
    return [{ ...appendWords(first, second.words), kind: 'text' }, ...atoms.slice(2)];
  if (first.kind === 'quality' && second?.kind === 'quality' && second.segment > 0 && isOrganism(first.text))
    return [{ ...first, kind: 'text' }, ...atoms.slice(1)];
  const whole = joinNumberedName(atoms);
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
      (number?.kind === 'number' && /^\d$/.test(number.text) && isMeasured(found, others[0])) ||
      (number?.kind === 'number' && /^0\d$/.test(number.text) && found?.kind === 'number'));
  const name = atoms[end - 1];
  if (!isOfName || !number || name?.kind !== 'text') return atoms;
  return [...atoms.slice(0, end - 1), appendWords(name, number.words), ...atoms.slice(end + 1)];
}

const NAME_KINDS: ReadonlySet<AtomKind> = new Set(['text', 'number', 'range', 'flag', 'blank'] as const);
const RESULT_KINDS: ReadonlySet<AtomKind> = new Set(['number', 'compared', 'quality'] as const);

/** "Vitamina D - 25 hidroxi   27,3" and "HIV 1 e 2 - antígeno   Negativo": a name continues after its number. */
function joinNumberedName(atoms: readonly Atom[]): Atom[] | undefined {
  const name = atoms.filter(({ segment }) => segment === 0);
  const [first, last] = [name[0], name.at(-1)];
  const isFound = atoms.some(
    ({ kind, segment, labelRole }) => segment > 0 && labelRole === undefined && RESULT_KINDS.has(kind),
  );
  const isWhole =
    first?.kind === 'text' &&
    last?.kind === 'text' &&
    /\p{L}{4}|^[ap]\.?m\.?$/iu.test(last.text) &&
    name.some(({ kind, text }) => kind !== 'text' && (kind !== 'flag' || /^[A-E]$/.test(text))) &&
    name.every((atom) => NAME_KINDS.has(atom.kind) && atom.labelRole === undefined && !isAmount(atom));
  if (!isFound || !isWhole || !first) return undefined;
  return [
    appendWords(
      first,
      name.slice(1).flatMap(({ words }) => words),
    ),
    ...atoms.slice(name.length),
  ];
}

/** "Alpha 1   0.22 g/dl": of two numbers the one with its unit was measured; the digit ends the name. */
const isMeasured = (found: Atom | undefined, unit: Atom | undefined): boolean =>
  (found?.kind === 'number' || found?.kind === 'compared') &&
  unit?.kind === 'unit' &&
  unit.segment - found.segment < 2;

/** One or two digits can belong to a name; more are an amount. */
const isAmount = ({ kind, text }: Atom): boolean =>
  (kind === 'number' && !/^\d{1,3}$/.test(text)) || (kind === 'range' && !/^\d \p{L} \d[,;]?$/u.test(text));

const DURATION =
  /^\d{1,3}\s(?:min(?:ute[sn]?|utos?|uti)?\.?|['′])\s\d{1,2}\s(?:s|secs?|segs?|sek|seconds?|segundos?|sekunden|secondes?|secondi|["″])\.?$/iu;

/** "Bleeding time   2 min 30 sec" is one duration in two numbers. */
export const withDurations = (atoms: readonly Atom[]): Atom[] => {
  const at = atoms.findIndex(({ kind, segment }, index) => {
    const cell = atoms.slice(index).filter((atom) => atom.segment === segment);
    return kind === 'number' && DURATION.test(joinWords(cell.flatMap(({ words }) => words)));
  });
  const [first] = atoms.slice(at);
  if (at < 0 || !first) return [...atoms];
  const cell = atoms.slice(at).filter(({ segment }) => segment === first.segment);
  const time = appendWords(
    first,
    cell.slice(1).flatMap(({ words }) => words),
  );
  return [...atoms.slice(0, at), { ...time, kind: 'quality' }, ...atoms.slice(at + cell.length)];
};

/** "INR (Quick)" and "INR   1,02" begin with what is a unit elsewhere; a unit with a slash stays a unit. */
const isNameDespiteUnit = (atoms: readonly Atom[], index: number): boolean =>
  isInrInName(atoms, index) ||
  /^\p{L}{4,}$/u.test(atoms[index]?.text ?? '') ||
  (index === 0 &&
    /^\p{L}{3}$/u.test(atoms[0]?.text ?? '') &&
    (atoms[1]?.kind === 'text'
      ? atoms[1].segment === 0
      : atoms[1]?.kind === 'number' && hasAnalyteWord(atoms[0]?.text ?? '')));

/** An atom with further words. */
export const appendWords = (atom: Atom, words: readonly ReportWord[]): Atom => {
  const all = [...atom.words, ...words];
  return { ...atom, words: all, text: joinWords(all), box: uniteBoxes(all.map((word) => word.box)) };
};

/** "PT (INR)   2,71" and "TP - INR   1,03": a name without a number before the gap. */
const isInrInName = (atoms: readonly Atom[], index: number): boolean =>
  /^\(?INR\)?$/.test(atoms[index]?.text ?? '') &&
  index > 0 &&
  atoms.some(({ segment }) => segment > 0) &&
  atoms.every(({ segment, kind }) => segment > 0 || kind === 'text' || kind === 'blank' || kind === 'unit');
