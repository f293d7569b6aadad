import { type Dimension, dimensionsOfCode } from './dimension.ts';

/** From what a sample is taken, as far as it parts codes. */
export type Specimen =
  'blood' | 'arterial' | 'urine' | 'csf' | 'fluid' | 'stool' | 'semen' | 'saliva' | 'spot' | 'other';

/** What is known of one LOINC code. */
export interface LoincCode {
  readonly code: string;
  readonly longName: string;
  readonly shortName: string;
  readonly component: string;
  readonly dimensions: readonly Dimension[];
  readonly specimen: Specimen | null;
  readonly isWholeBlood: boolean;
  /** Qn has numbers, Ord and Nom have words. */
  readonly isNumeric: boolean;
  readonly isTimed: boolean;
  /** After a dose, a meal, before dialysis: needs its words. */
  readonly isChallenge: boolean;
  readonly method: string;
  /** How common it is: 1 is the most common. */
  readonly rank: number;
}

export interface LoincFields {
  readonly code: string;
  readonly longName: string;
  readonly shortName: string;
  readonly component: string;
  readonly units: string;
  readonly property: string;
  readonly time: string;
  readonly system: string;
  readonly scale: string;
  readonly method: string;
  readonly rank: number;
}

// prettier-ignore
const SYSTEMS: readonly (readonly [Specimen, RegExp])[] = [
  ['spot',     /dried blood spot|bld\.dot/i],
  ['arterial', /blda|bldc|cord|arterial|capillary|bldco/i],
  ['urine',    /^urine/i],
  ['csf',      /csf|cerebral/i],
  ['fluid',    /fld|fluid|pleur|periton|synov|ascites/i],
  ['stool',    /stool|feces/i],
  ['semen',    /semen/i],
  ['saliva',   /saliva/i],
  ['blood',    /ser|plas|bld|blood|ppp|rbc|wbc/i],
];
const WORDS_IN_NAME: readonly (readonly [Specimen, RegExp])[] = [
  ['spot', /dried blood spot/i],
  ['arterial', /in (?:arterial|capillary|.*cord) blood/i],
  ['urine', /urine/i],
  ['csf', /cerebral spinal/i],
  ['fluid', /amniotic|body fluid|pleural|peritoneal|synovial|dialysis fluid|gastric fluid/i],
  ['stool', /stool/i],
  ['semen', /semen/i],
  [
    'other',
    /meconium|sweat|stone|calculus|tissue|ventilator|inspired|inhaled|cervi|vaginal|urethra|genital|throat|nasopharynx|bone marrow|specimen|sputum|fetus|donor|blood product|newborn|wound|rectum|conjunctiva|isolate|susceptibility|report|catheter|saliva|from .*unit/i,
  ],
  ['blood', /serum|plasma|blood|leukocytes|erythrocyte|platelet/i],
];

function specimenOf(system: string, name: string): Specimen | null {
  const found = system === '' ? undefined : SYSTEMS.find(([, words]) => words.test(system));
  if (found) return found[0];
  const named = WORDS_IN_NAME.find(([, words]) => words.test(name));
  return named?.[0] ?? (system === '' ? null : 'other');
}

export function loincCode(fields: LoincFields): LoincCode {
  const { code, longName, shortName, component, system, scale, method, rank } = fields;
  return {
    code,
    longName,
    shortName,
    component,
    dimensions: dimensionsOfCode({
      property: fields.property,
      units: fields.units,
      name: `${longName} ${method}`,
    }),
    specimen: specimenOf(system, longName),
    isWholeBlood: /^bld/i.test(system) || /in (?:venous )?blood/i.test(longName),
    isNumeric: (scale === 'Qn' || scale === 'OrdQn') && (fields.property !== '' || fields.units !== ''),
    isTimed: fields.time === '24H' || /24 hour/i.test(longName),
    isChallenge: / ?--|\bpost |\bfasting|dialysis/i.test(longName),
    method,
    rank,
  };
}
