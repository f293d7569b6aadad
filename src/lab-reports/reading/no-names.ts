import type { Atom } from './atoms.ts';
import { roleOfHeading } from './lexicon/headers.ts';
import { sampleTypeOf } from './specimen.ts';

/** "EMIS Number" and "Date Created and Stored" say which report or which day, where the value is a bare number. */
const OF_FILE =
  /\b(?:number|nummer|n[úu]mero|num[ée]ro)$|^(?:date|fecha|datum|data)\b|^(?:generated|printed|created|stored|generado|impreso|gedruckt|imprim[ée])\b/iu;

/** "A serum folate concentration of", "For someone without known diabetes, a glucose value": a sentence is cut off here. */
const OF_SENTENCE =
  /\s(?:of|is|are|than|was|were|and|or)$|^(?:for|if|when|in|a|an|the)\s(?:someone|patients?|adults?|persons?|people|value|level|result|serum|plasma)\b/iu;

/** "31 Units or greater" is a line of a legend. */
const OF_LEGEND = /^\d[\d.,]*(?:\s?[-–]\s?\d[\d.,]*)?\s+units?\b/iu;

interface Claimed {
  readonly name: string;
  readonly value: Atom;
  /** Whether a unit, a range or a flag stands beside the value. */
  readonly hasCompany: boolean;
}

/** How much speaks against a result because of a name that no result has, or a value that is a material. */
export function noNameEvidence({ name, value, hasCompany }: Claimed): number {
  if (OF_LEGEND.test(name) || roleOfHeading(name) === 'unit') return -4;
  if (OF_SENTENCE.test(name)) return -3;
  if (hasCompany) return 0;
  if (OF_FILE.test(name)) return -4;
  return value.kind === 'text' && sampleTypeOf([value.text]) !== null ? -3 : 0;
}
