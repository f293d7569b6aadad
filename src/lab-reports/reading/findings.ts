import type { Atom } from './atoms.ts';
import { textOfAtoms } from './drafts.ts';
import { sentenceShare } from './lexicon/not-results.ts';
import { qualityOf } from './lexicon/qualities.ts';
import type { ParsedRow } from './regions.ts';

const MOST_WORDS = 5;

/** "Xpert MTB/RIF   MTB complex DETECTED": what was found in a cell that says of what. */
export function findingOf({ parts: { name, value } }: ParsedRow): Atom | undefined {
  const last = value.at(-1);
  const text = textOfAtoms(value);
  const isCell =
    value.length === 2 &&
    value[0]?.kind === 'text' &&
    last?.kind === 'quality' &&
    last.segment === value[0].segment &&
    last.segment !== name.at(-1)?.segment &&
    TESTED.test(last.text) &&
    text.split(' ').length <= MOST_WORDS &&
    sentenceShare(text) === 0;
  return isCell ? last : undefined;
}

/** "Giardia lamblia     Not detected" and nothing else in the line. */
export function findingEvidence(parsed: ParsedRow): number {
  const { parts } = parsed;
  // "Negative   Cutoff 500 ng/mL": what a label says of the method leaves the finding alone.
  const atoms = parsed.atoms.filter(({ said }) => said !== 'other' && said !== 'method');
  const value = findingOf(parsed) ?? parts.value[0];
  const isAlone =
    value?.kind === 'quality' &&
    value === atoms.at(-1) &&
    atoms.every((atom) => parts.value.includes(atom) || parts.name.includes(atom));
  const isApart =
    value?.segment === 1 || (isAlone && TESTED.test(value.text) && isLabelled(parts.name, atoms));
  const found = isAlone && isApart ? qualityOf(value.text) : undefined;
  if (found === 'titer' && OF_TITER.test(parts.name.at(-1)?.text ?? '')) return 1.4;
  return (found === 'absent' || found === 'present' || GENOTYPE.test(value?.text ?? '')) &&
    !/^(?:yes|no|s[ií]|sim|ja|nein|oui|non|n[ãa]o)$/iu.test(value?.text ?? '')
    ? 1.4
    : 0;
}

/** "Título:   1/160" below what was found. */
const OF_TITER = /^(?:end)?(?:tit(?:er|re)|t[ií]tulo|titolo)\s*:?$/iu;

/** What is said of something that was looked for, and of nothing else that a line may begin with a label of. */
const TESTED =
  /^(?:(?:not|non|no|nao|não|nicht|weakly|niet)[ -])?(?:detected|reactive|negative?|positive?|negativ[aoe]|positiv[aoe]|negatief|positief|n[ée]gatif|positif|detectad[ao]|reactiv[ao]|reagente|nachweisbar|reaktiv|rilevato|d[ée]tect[ée]e?)\.?$/iu;

/** "Ross River Virus IgM: NOT DETECTED", or a name in the line above and nothing but the finding in its own. */
const isLabelled = (name: readonly Atom[], atoms: readonly Atom[]): boolean =>
  name.length === 0 ? atoms.length === 1 : name.at(-1)?.text.endsWith(':') === true;

/** Found or not, a mutation is on both chromosomes, on one or on none. */
const GENOTYPE = /^(?:h[ée]t[ée]ro|homo|h[ée]mi|etero|omo|emi)[zc][yi]g|^wild[- ]?typ/iu;
