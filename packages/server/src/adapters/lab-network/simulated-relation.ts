import type { SpecimenRandom } from './simulated-values.ts';

/** The properties of the patient that values depend on. */
export interface SimulatedPatient {
  /** Years. */
  readonly age: number;
  readonly isFemale: boolean;
}

/** One attempt to draw the values of a relation. Repeated requests for an analyte return the same value. */
export interface RelationDraw extends SimulatedPatient {
  readonly chance: SpecimenRandom;
  /** Draws the value of a LOINC code: by its target interpretation if it was ordered, else from this interval. */
  own(loinc: string, stretch: readonly [number, number], decimals?: number): number;
  /** Whether the LOINC code was ordered. */
  has(loinc: string): boolean;
}

/** Analytes whose values depend on each other, by LOINC code. */
export interface AnalyteRelation {
  /** Analytes that are drawn; abnormal targets apply to these. */
  readonly drawn: readonly string[];
  /** Analytes that are derived from the drawn ones. */
  readonly derived: readonly string[];
  /** Computes all values, as printed; derived values are computed from printed ones. */
  readonly solve: (draw: RelationDraw) => Readonly<Record<string, number>>;
}

/** CKD-EPI 2021: the filtration rate in mL/min per 1.73 m2 from creatinine in mg/dL, without race. */
export function estimateFiltrationRate(creatinine: number, { age, isFemale }: SimulatedPatient): number {
  const [kappa, alpha, factor] = isFemale ? [0.7, -0.241, 1.012] : [0.9, -0.302, 1];
  const part = creatinine / kappa;
  const years = Math.max(age, 18);
  return 142 * Math.min(part, 1) ** alpha * Math.max(part, 1) ** -1.2 * 0.9938 ** years * factor;
}

/** Groups of text results that must have the same interpretation, by LOINC code. */
export const COUPLED_TEXT_RESULTS: readonly (readonly string[])[] = [
  ['47383-5', '5048-4', '14611-8'], // nuclear antibodies: screen, titer, pattern
  ['20507-0', '31147-2'], // reagin: screen, titer
  ['13955-0', '11259-9', '32286-7'], // hepatitis C: antibody, RNA, genotype
];

/** The unit that each analyte is computed in, as LOINC codes by unit. Ordered in another unit, it is drawn alone. */
// prettier-ignore
const LOINCS_BY_UNIT: Readonly<Record<string, readonly string[]>> = {
  '%': ['12841-3', '15432-8', '17849-1', '24125-7', '2502-3', '3050-2', '4544-3', '4548-4', '5905-5', '706-2', '713-8', '736-9', '770-8'],
  '10*3/uL': ['14196-0', '6690-2', '704-7', '711-2', '731-0', '742-7', '751-8'],
  '10*6/uL': ['789-8'],
  'fL': ['787-2'],
  'g/(24.h)': ['2162-6'],
  'g/dL': ['1751-7', '2336-6', '2862-1', '2865-4', '2868-8', '2871-2', '2874-6', '2885-2', '718-7', '786-4'],
  'mL/min': ['2164-2'],
  'mL/min/{1.73_m2}': ['33914-3'],
  'mg/L': ['33944-0', '36916-5'],
  'mg/dL': ['13457-7', '13458-5', '18262-6', '1869-7', '1884-6', '1968-7', '1971-1', '1975-2', '2085-9', '2093-3', '2160-0', '2161-8', '2345-7', '2571-8', '27353-2', '3034-6', '3094-0', '43396-1'],
  'mg/g{creat}': ['14959-1'],
  'mg/mg{creat}': ['3097-3'],
  'mmol/L': ['2028-9', '2075-0', '2951-2', '33037-3'],
  'mosm/kg': ['2692-2'],
  'ng/dL': ['2986-8'],
  'ng/mL': ['10886-0', '2857-1'],
  'nmol/L': ['13967-5'],
  'pg': ['785-6'],
  'pg/mL': ['2991-8'],
  's': ['5902-2'],
  'ug/dL': ['2498-4', '2500-7', '2501-5', '3026-2'],
  'ug/mL': ['14957-5'],
  '{INR}': ['6301-6'],
  '{Index_val}': ['32215-6'],
  '{ratio}': ['11054-4', '13462-7', '1759-0', '48378-4', '9830-1'],
};

const unitByLoinc = new Map(
  Object.entries(LOINCS_BY_UNIT).flatMap(([unit, loincs]) => loincs.map((loinc) => [loinc, unit] as const)),
);

export const isComputedIn = (loinc: string, unit: string | null): boolean => unitByLoinc.get(loinc) === unit;
