import type { Atom } from './atoms.ts';
import { joinAtomText } from './result-draft.ts';
import { measureSentenceShare } from './lexicon/non-results.ts';
import { parseQualitative } from './lexicon/qualitative-results.ts';
import type { ParsedRow } from './regions.ts';

const MOST_WORDS = 5;

/** "Xpert MTB/RIF   MTB complex DETECTED": the finding in a cell that also names its target. */
export function findFinding({ parts: { name, value } }: ParsedRow): Atom | undefined {
  const last = value.at(-1);
  const text = joinAtomText(value);
  const isCell =
    value.length === 2 &&
    value[0]?.kind === 'text' &&
    last?.kind === 'quality' &&
    last.segment === value[0].segment &&
    last.segment !== name.at(-1)?.segment &&
    TESTED.test(last.text) &&
    text.split(' ').length <= MOST_WORDS &&
    measureSentenceShare(text) === 0;
  return isCell ? last : undefined;
}

/** "Giardia lamblia     Not detected" and nothing else in the row. */
export function scoreFinding(parsed: ParsedRow): number {
  const { parts } = parsed;
  // "Negative   Cutoff 500 ng/mL": what a label says about the method does not affect the finding.
  const atoms = parsed.atoms.filter(({ labelRole }) => labelRole !== 'other' && labelRole !== 'method');
  const value = findFinding(parsed) ?? parts.value[0];
  const isAlone =
    value?.kind === 'quality' &&
    value === atoms.at(-1) &&
    atoms.every((atom) => parts.value.includes(atom) || parts.name.includes(atom));
  const isApart =
    value?.segment === 1 || (isAlone && TESTED.test(value.text) && isLabeled(parts.name, atoms));
  const found = isAlone && isApart ? parseQualitative(value.text) : undefined;
  if (found === 'titer' && TITER_NAME.test(parts.name.at(-1)?.text ?? '')) return 1.4;
  return (found === 'absent' || found === 'present' || GENOTYPE.test(value?.text ?? '')) &&
    !/^(?:yes|no|s[ií]|sim|ja|nein|oui|non|n[ãa]o)$/iu.test(value?.text ?? '')
    ? 1.4
    : 0;
}

/** "Título:   1/160" below a finding. */
const TITER_NAME = /^(?:end)?(?:tit(?:er|re)|t[ií]tulo|titolo)\s*:?$/iu;

/** Findings that only tests have; other labeled lines do not use these words. */
const TESTED =
  /^(?:(?:not|non|no|nao|não|nicht|weakly|niet)[ -])?(?:detected|reactive|negative?|positive?|negativ[aoe]|positiv[aoe]|negatief|positief|n[ée]gatif|positif|detectad[ao]|reactiv[ao]|reagente|nachweisbar|reaktiv|rilevato|d[ée]tect[ée]e?)\.?$/iu;

/** "Ross River Virus IgM: NOT DETECTED", or a finding alone under a name. */
const isLabeled = (name: readonly Atom[], atoms: readonly Atom[]): boolean =>
  name.length === 0 ? atoms.length === 1 : name.at(-1)?.text.endsWith(':') === true;

/** A mutation is on both chromosomes, on one or on none. */
const GENOTYPE = /^(?:h[ée]t[ée]ro|homo|h[ée]mi|etero|omo|emi)[zc][yi]g|^wild[- ]?typ/iu;
