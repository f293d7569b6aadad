/*
 * Reference intervals by sex and age, for the analytes where practice differs from the catalog's general adult interval.
 * The values follow the named public sources, rounded to the catalog's units and decimals, and were not compared with them
 * number by number. They make simulated reports realistic and are not for clinical use: the interval of a real result is
 * that of the laboratory that performed it.
 */

/** Intervals by the first age in whole years, ascending. Each holds until the next; null: none is established. */
type IntervalsByAge = readonly (readonly [fromAge: number, printed: string | null])[];

/** Before the first age of a list, the general interval holds. */
interface AnalyteIntervals {
  readonly loinc: string;
  readonly unit: string;
  /** The catalog's general interval. Only this one is replaced: an imported catalog keeps its own intervals. */
  readonly general: string;
  readonly female: IntervalsByAge;
  readonly male: IntervalsByAge;
  readonly source: string;
}

const AMH = 'Roche Elecsys AMH Plus, package insert';
const ATP_III =
  'NCEP ATP III, JAMA 2001;285:2486: low HDL is below 40 mg/dL in men and below 50 mg/dL in women';
const BSR = 'Bottiger and Svedberg, Br Med J 1967;2:85';
const CALIPER =
  'children: CALIPER (Colantonio et al., Clin Chem 2012;58:854; Bailey et al., Clin Chem 2013;59:1393)';
const CKD_EPI =
  'Inker et al., N Engl J Med 2021;385:1737: the equation is for adults; urinary excretion depends on body size';
const ELECSYS =
  'Roche Elecsys, package inserts; women to 49 years: follicular phase, from 50 years: after menopause';
const ENZYMES = 'DGKL and VDGH, J Lab Med 2005;29:301 (IFCC methods at 37 degrees Celsius)';
const FREE_TESTOSTERONE = 'Labcorp, public test menu (direct immunoassay)';
const KRATZ =
  'Kratz et al., N Engl J Med 2004;351:1548; children: Dallman, in: Nathan and Oski, Hematology of Infancy and Childhood';
const LABCORP = 'Labcorp, public test menu';
const MAYO = 'Mayo Clinic Laboratories, public test catalog';
const OESTERLING = 'Oesterling et al., JAMA 1993;270:860';
const TESTOSTERONE = `men: Travison et al., J Clin Endocrinol Metab 2017;102:1161; others: ${MAYO}`;
const TIETZ = 'Tietz Textbook of Clinical Chemistry and Molecular Diagnostics';

// prettier-ignore
export const ANALYTE_INTERVALS: readonly AnalyteIntervals[] = [
  // Blood count: hemoglobin, hematocrit, red cells, mean cell volume, mean cell hemoglobin, sedimentation rate.
  { loinc: '718-7', unit: 'g/dL', general: '12.0-16.5', source: KRATZ,
    female: [[0, '10.5-13.5'], [2, '11.5-13.5'], [6, '11.5-15.5'], [12, '12.0-16.0']],
    male: [[0, '10.5-13.5'], [2, '11.5-13.5'], [6, '11.5-15.5'], [12, '13.0-16.0'], [18, '13.5-17.5']] },
  { loinc: '4544-3', unit: '%', general: '36.0-49.0', source: KRATZ,
    female: [[0, '33.0-39.0'], [2, '34.0-40.0'], [6, '35.0-45.0'], [12, '36.0-46.0']],
    male: [[0, '33.0-39.0'], [2, '34.0-40.0'], [6, '35.0-45.0'], [12, '37.0-49.0'], [18, '41.0-53.0']] },
  { loinc: '789-8', unit: '10*6/uL', general: '4.00-5.60', source: KRATZ,
    female: [[0, '3.70-5.30'], [2, '3.90-5.30'], [6, '4.00-5.20'], [12, '4.10-5.10'], [18, '4.00-5.20']],
    male: [[0, '3.70-5.30'], [2, '3.90-5.30'], [6, '4.00-5.20'], [12, '4.50-5.30'], [18, '4.50-5.90']] },
  { loinc: '787-2', unit: 'fL', general: '79-97', source: KRATZ,
    female: [[0, '70-86'], [2, '75-87'], [6, '77-95'], [12, '78-102'], [18, '79-97']],
    male: [[0, '70-86'], [2, '75-87'], [6, '77-95'], [12, '78-98'], [18, '79-97']] },
  { loinc: '785-6', unit: 'pg', general: '26.6-33.0', source: KRATZ,
    female: [[0, '23.0-31.0'], [2, '24.0-30.0'], [6, '25.0-33.0'], [12, '25.0-35.0'], [18, '26.6-33.0']],
    male: [[0, '23.0-31.0'], [2, '24.0-30.0'], [6, '25.0-33.0'], [12, '25.0-35.0'], [18, '26.6-33.0']] },
  { loinc: '4537-7', unit: 'mm/h', general: '0-30', source: BSR,
    female: [[18, '0-20'], [50, '0-30']], male: [[18, '0-15'], [50, '0-20']] },

  // Kidneys: creatinine, filtration rate, urea over creatinine, excretion and clearance of creatinine.
  { loinc: '2160-0', unit: 'mg/dL', general: '0.60-1.30', source: `${LABCORP}; ${CALIPER}`,
    female: [[0, '0.10-0.36'], [2, '0.20-0.43'], [5, '0.31-0.61'], [12, '0.45-0.81'], [15, '0.49-0.84'], [19, '0.57-1.00']],
    male: [[0, '0.10-0.36'], [2, '0.20-0.43'], [5, '0.31-0.61'], [12, '0.45-0.81'], [15, '0.62-1.08'], [19, '0.76-1.27']] },
  { loinc: '33914-3', unit: 'mL/min/{1.73_m2}', general: '>59', source: CKD_EPI,
    female: [[0, null], [18, '>59']], male: [[0, null], [18, '>59']] },
  { loinc: '3097-3', unit: 'mg/mg{creat}', general: '9-23', source: CKD_EPI,
    female: [[0, null], [18, '9-23']], male: [[0, null], [18, '9-23']] },
  { loinc: '2162-6', unit: 'g/(24.h)', general: '0.80-2.00', source: CKD_EPI,
    female: [[0, null], [18, '0.80-2.00']], male: [[0, null], [18, '0.80-2.00']] },
  { loinc: '2164-2', unit: 'mL/min', general: '75-125', source: CKD_EPI,
    female: [[0, null], [18, '75-125']], male: [[0, null], [18, '75-125']] },

  // Enzymes: alkaline phosphatase, AST, ALT, gamma-glutamyl transferase, creatine kinase.
  { loinc: '6768-6', unit: 'U/L', general: '44-121', source: `${ENZYMES}; ${CALIPER}`,
    female: [[0, '134-518'], [1, '156-369'], [10, '141-460'], [13, '62-280'], [15, '54-128'], [17, '48-95'], [19, '35-105']],
    male: [[0, '134-518'], [1, '156-369'], [10, '141-460'], [13, '127-517'], [15, '89-365'], [17, '59-164'], [19, '40-130']] },
  { loinc: '1920-8', unit: 'U/L', general: '0-40', source: ENZYMES, female: [[18, '10-35']], male: [[18, '10-50']] },
  { loinc: '1742-6', unit: 'U/L', general: '0-44', source: ENZYMES, female: [[18, '10-35']], male: [[18, '10-50']] },
  { loinc: '2324-2', unit: 'U/L', general: '0-65', source: ENZYMES, female: [[18, '<40']], male: [[18, '<60']] },
  { loinc: '2157-6', unit: 'U/L', general: '30-200', source: ENZYMES, female: [[18, '<170']], male: [[18, '<190']] },

  // Uric acid, phosphorus, HDL cholesterol, NT-proBNP, iron, ferritin, copper.
  { loinc: '3084-1', unit: 'mg/dL', general: '3.0-7.5', source: `${TIETZ}; ${CALIPER}`,
    female: [[1, '1.8-4.9'], [12, '2.6-6.0']], male: [[1, '1.8-4.9'], [12, '3.5-7.2']] },
  { loinc: '2777-1', unit: 'mg/dL', general: '2.5-4.5', source: CALIPER,
    female: [[1, '4.3-6.8'], [5, '4.1-5.9'], [13, '3.2-5.5'], [16, '2.9-5.0'], [19, '2.5-4.5']],
    male: [[1, '4.3-6.8'], [5, '4.1-5.9'], [13, '3.5-6.2'], [16, '2.9-5.0'], [19, '2.5-4.5']] },
  { loinc: '2085-9', unit: 'mg/dL', general: '>39', source: ATP_III, female: [[18, '>49']], male: [[18, '>39']] },
  { loinc: '33762-6', unit: 'pg/mL', general: '<125', source: ELECSYS,
    female: [[18, '<125'], [75, '<450']], male: [[18, '<125'], [75, '<450']] },
  { loinc: '2498-4', unit: 'ug/dL', general: '38-169', source: LABCORP, female: [[18, '27-159']], male: [[18, '38-169']] },
  { loinc: '2276-4', unit: 'ng/mL', general: '15-300', source: LABCORP, female: [[18, '15-150']], male: [[18, '30-400']] },
  { loinc: '5631-7', unit: 'ug/dL', general: '70-150', source: TIETZ, female: [[18, '80-155']], male: [[18, '70-140']] },

  // Thyroid: TSH.
  { loinc: '3016-3', unit: 'm[IU]/L', general: '0.45-4.50', source: CALIPER,
    female: [[0, '0.73-4.77'], [1, '0.70-4.17'], [14, '0.47-3.41'], [19, '0.45-4.50']],
    male: [[0, '0.73-4.77'], [1, '0.70-4.17'], [14, '0.47-3.41'], [19, '0.45-4.50']] },

  // Androgens: total and free testosterone, SHBG, dihydrotestosterone, DHEA sulfate.
  { loinc: '2986-8', unit: 'ng/dL', general: '8-916', source: TESTOSTERONE,
    female: [[0, '0-20'], [10, '0-44'], [12, '0-75'], [17, '20-75'], [19, '8-60']],
    male: [[0, '0-20'], [10, '0-130'], [12, '0-800'], [14, '0-1200'], [15, '100-1200'], [17, '300-1200'], [19, '264-916']] },
  { loinc: '2991-8', unit: 'pg/mL', general: '0.5-22.0', source: FREE_TESTOSTERONE,
    female: [[18, '0.0-4.2']], male: [[18, '9.3-26.5'], [30, '8.7-25.1'], [40, '6.8-21.5'], [50, '7.2-24.0'], [60, '6.6-18.1']] },
  { loinc: '13967-5', unit: 'nmol/L', general: '16.5-110.0', source: LABCORP,
    female: [[18, '24.6-122.0'], [50, '17.3-125.0']], male: [[18, '16.5-55.9'], [50, '19.3-76.4']] },
  { loinc: '1848-1', unit: 'pg/mL', general: '30-850', source: MAYO,
    female: [[20, '0-300'], [55, '0-128']], male: [[20, '112-955']] },
  { loinc: '2191-5', unit: 'ug/dL', general: '40-400', source: ELECSYS,
    female: [[1, '1-19'], [5, '3-85'], [10, '34-280'], [15, '65-368'], [20, '148-407'], [25, '99-340'], [35, '61-337'], [45, '35-256'],
      [55, '19-205'], [65, '9-246'], [75, '12-154']],
    male: [[1, '1-19'], [5, '3-85'], [10, '24-247'], [15, '70-492'], [20, '211-492'], [25, '160-449'], [35, '89-427'], [45, '44-331'],
      [55, '52-295'], [65, '34-249'], [75, '16-123']] },

  // Reproductive hormones: estradiol, progesterone, FSH, LH, prolactin, anti-Mullerian hormone.
  { loinc: '2243-4', unit: 'pg/mL', general: '8.0-350.0', source: ELECSYS,
    female: [[18, '12.5-166.0'], [50, '0.0-54.7']], male: [[18, '7.6-42.6']] },
  { loinc: '2839-9', unit: 'ng/mL', general: '0.1-24.0', source: ELECSYS,
    female: [[18, '0.1-0.9'], [50, '0.0-0.1']], male: [[18, '0.0-0.5']] },
  { loinc: '15067-2', unit: 'm[IU]/mL', general: '1.5-30.0', source: ELECSYS,
    female: [[18, '3.5-12.5'], [50, '25.8-134.8']], male: [[18, '1.5-12.4']] },
  { loinc: '10501-5', unit: 'm[IU]/mL', general: '1.0-25.0', source: ELECSYS,
    female: [[18, '2.4-12.6'], [50, '7.7-58.5']], male: [[18, '1.7-8.6']] },
  { loinc: '2842-3', unit: 'ng/mL', general: '4.0-25.0', source: ELECSYS,
    female: [[18, '4.8-23.3']], male: [[18, '4.0-15.2']] },
  { loinc: '38476-8', unit: 'ng/mL', general: '0.40-7.00', source: AMH,
    female: [[20, '1.22-11.70'], [25, '0.89-9.85'], [30, '0.58-8.13'], [35, '0.15-7.49'], [40, '0.03-5.47'], [45, '0.01-2.71']],
    male: [[18, '0.77-14.50']] },

  // Prostate-specific antigen.
  { loinc: '2857-1', unit: 'ng/mL', general: '0.0-4.0', source: OESTERLING,
    female: [], male: [[40, '0.0-2.5'], [50, '0.0-3.5'], [60, '0.0-4.5'], [70, '0.0-6.5']] },
];
