import { type UnitDimension, dimensionsOfCode } from './dimension.ts';

/** Specimen types that distinguish LOINC codes. */
export type LoincSpecimen =
  'blood' | 'arterial' | 'urine' | 'csf' | 'fluid' | 'stool' | 'semen' | 'saliva' | 'spot' | 'other';

/** A LOINC code with the properties that matching uses. */
export interface LoincCode {
  readonly code: string;
  readonly longName: string;
  readonly shortName: string;
  readonly component: string;
  /** The LOINC class in upper case, such as MICRO or BLDBK; empty if it is not known. */
  readonly loincClass: string;
  readonly dimensions: readonly UnitDimension[];
  readonly specimen: LoincSpecimen | null;
  readonly isWholeBlood: boolean;
  /** Whether the scale is quantitative (Qn); ordinal and nominal codes have words as values. */
  readonly isNumeric: boolean;
  readonly isTimed: boolean;
  /** Measured after a dose or a meal, or around dialysis; matches only if the name says so. */
  readonly isChallenge: boolean;
  readonly method: string;
  /** Component, time, system, scale and method: codes with equal axes differ in their property only. */
  readonly axes: string;
  readonly exampleUnits: readonly string[];
  /** Rank by frequency; 1 is the most common. */
  readonly rank: number;
}

interface LoincFields {
  readonly code: string;
  readonly longName: string;
  readonly shortName: string;
  readonly component: string;
  readonly loincClass: string;
  readonly units: string;
  readonly property: string;
  readonly time: string;
  readonly system: string;
  readonly scale: string;
  readonly method: string;
  readonly rank: number;
}

// prettier-ignore
const SYSTEM_PATTERNS: readonly (readonly [LoincSpecimen, RegExp])[] = [
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
const NAME_PATTERNS: readonly (readonly [LoincSpecimen, RegExp])[] = [
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

function specimenOf(system: string, name: string): LoincSpecimen | null {
  const found = system === '' ? undefined : SYSTEM_PATTERNS.find(([, words]) => words.test(system));
  if (found) return found[0];
  const named = NAME_PATTERNS.find(([, words]) => words.test(name));
  return named?.[0] ?? (system === '' ? null : 'other');
}

/** Codes of HL7 table 0487 that are not words. */
// prettier-ignore
const SPECIMEN_CODES: Readonly<Record<string, LoincSpecimen>> = {
  UR: 'urine', URN: 'urine', URC: 'urine', UA: 'urine', CSF: 'csf', STL: 'stool', SAL: 'saliva', SMN: 'semen', SEM: 'semen',
  WB: 'blood', BLDV: 'blood', BLDA: 'arterial', BLDC: 'arterial', BLDCO: 'arterial', PLR: 'fluid', PRT: 'fluid', SNV: 'fluid',
};

/** The specimen type that a message names by a code or in words; null if it is not known. */
export const specimenOfSystem = (printed: string): LoincSpecimen | null =>
  SPECIMEN_CODES[printed.trim().toUpperCase()] ??
  SYSTEM_PATTERNS.find(([, words]) => words.test(printed))?.[0] ??
  NAME_PATTERNS.find(([, words]) => words.test(printed))?.[0] ??
  null;

export function toLoincCode(fields: LoincFields): LoincCode {
  const { code, longName, shortName, component, system, scale, method, rank } = fields;
  return {
    code,
    longName,
    shortName,
    component,
    loincClass: fields.loincClass.toUpperCase(),
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
    axes: [component, fields.time, system, scale, method].join('|'),
    exampleUnits: fields.units.split(';').filter((unit) => unit !== ''),
    rank,
  };
}
