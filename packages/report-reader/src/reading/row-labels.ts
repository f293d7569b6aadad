import type { Atom } from './atom.ts';
import { normalizeWords } from './text-normalization.ts';
import { joinWords } from './rows.ts';

/** What a label in the row of a result says about its sample and method. */
interface RowLabels {
  readonly specimen: string | null;
  readonly method: string | null;
}

/** Labels of the sample, in six languages; the other labels with the role `method` name the method. */
const SAMPLE_LABEL =
  /\b(?:sample|specimen|muestra|especimen|amostra|especime|campione|probe|probenart|probentyp|spez|\w*material\w*|matrice|prelevement|echantillon|nature)\b/;

/** Labels whose content is a date, a code or a place, and never an amount. */
const WITHOUT_AMOUNT =
  /^(?:lab|site|performing (?:lab|site)|performed by|lab code|(?:status |result |coll )?date|date time|fecha|datum|data|hora|time|code|test code|tests code|lab id|id|loinc|cpt|nabl|completed|department|dept|collected|received|reported|verified|validated by|source|facility|position)$/;

const AMOUNTS: ReadonlySet<Atom['kind']> = new Set(['number', 'compared'] as const);
const BEHIND_AMOUNT: ReadonlySet<Atom['kind']> = new Set(['unit', 'range', 'compared', 'flag'] as const);

/**
 * "Creatinine Specimen: Serum 0.9 mg/dL 0.6 - 1.2" and "Sodium Date: 03/04/2024 140 mmol/L": a label of the sample,
 * the method or the day ends where the result begins, which is an amount with its unit or range, or a finding.
 */
export function withEndedLabels(atoms: readonly Atom[]): readonly Atom[] {
  const ends = new Set<Atom>();
  atoms.forEach((label, at) => {
    if (!canEndBeforeResult(label)) return;
    const length = atoms.slice(at + 1).findIndex((atom) => !isWithin(atom, label));
    const inside = length < 0 ? atoms.slice(at + 1) : atoms.slice(at + 1, at + 1 + length);
    const start = inside.findIndex((atom, index) => index > 0 && isResultStart(atom, atoms, label));
    if (start > 0) for (const atom of inside.slice(start)) ends.add(atom);
  });
  if (ends.size === 0) return atoms;
  return atoms.map((atom) => {
    if (!ends.has(atom)) return atom;
    const { labelRole: _, ...free } = atom;
    return free;
  });
}

const canEndBeforeResult = ({ kind, labelRole, text }: Atom): boolean =>
  kind === 'label' &&
  (labelRole === 'method' || (labelRole === 'other' && WITHOUT_AMOUNT.test(normalizeWords(text))));

/** Whether an atom is under a label, which announces what follows it up to the next label or cell. */
const isWithin = ({ kind, labelRole }: Atom, label: Atom): boolean =>
  kind !== 'label' && labelRole === label.labelRole;

function isResultStart(atom: Atom, atoms: readonly Atom[], { labelRole }: Atom): boolean {
  const next = atoms[atoms.indexOf(atom) + 1];
  if (AMOUNTS.has(atom.kind)) return next !== undefined && BEHIND_AMOUNT.has(next.kind);
  return labelRole === 'method' && atom.kind === 'quality';
}

/** The sample and the method that labels within the row name. */
export function readRowLabels(atoms: readonly Atom[]): RowLabels {
  const told = atoms.flatMap((label, at) => {
    if (label.kind !== 'label' || label.labelRole !== 'method') return [];
    const behind = atoms.slice(at + 1);
    const length = behind.findIndex((atom) => !isWithin(atom, label));
    const words = (length < 0 ? behind : behind.slice(0, length)).flatMap((atom) => atom.words);
    const text = joinWords(words).replace(/^[\s(:;,-]+|[\s);,|-]+$/gu, '');
    return text === '' ? [] : [{ isSample: SAMPLE_LABEL.test(normalizeWords(label.text)), text }];
  });
  return {
    specimen: told.find(({ isSample }) => isSample)?.text ?? null,
    method: told.find(({ isSample }) => !isSample)?.text ?? null,
  };
}
