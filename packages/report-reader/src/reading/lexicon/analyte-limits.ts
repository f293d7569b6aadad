import { normalizeText } from '../text-normalization.ts';
import { toUnitKey } from '../units.ts';

/** Analytes with plausibility and panel checks. */
export type AnalyteKey =
  | 'wbc'
  | 'rbc'
  | 'hgb'
  | 'hct'
  | 'mcv'
  | 'mch'
  | 'mchc'
  | 'plt'
  | 'neutrophils'
  | 'lymphocytes'
  | 'monocytes'
  | 'eosinophils'
  | 'basophils'
  | 'bands'
  | 'immature'
  | 'sodium'
  | 'potassium'
  | 'chloride'
  | 'calcium'
  | 'glucose'
  | 'creatinine'
  | 'urea'
  | 'ph'
  | 'gravity'
  | 'cholesterol'
  | 'hdl'
  | 'ldl'
  | 'triglycerides'
  | 'protein'
  | 'albumin'
  | 'globulin'
  | 'bilirubin'
  | 'a1c'
  | 'tsh'
  | 'inr';

const NAMES: readonly (readonly [AnalyteKey, RegExp, RegExp?])[] = [
  ['mchc', /^(?:mchc|chcm|c\.?c\.?m\.?h|c\.?h\.?c\.?m)|corpuscular h\w+ conc/],
  ['mch', /^(?:mch|hcm|t\.?c\.?m\.?h|h\.?c\.?m)\b|mean corpuscular h\w+$/],
  ['mcv', /^(?:mcv|vcm|vgm|v\.?c\.?m|v\.?g\.?m)\b|corpuscular volume|volumen corpuscular/],
  ['immature', /immature gran|granulocitos inmaduros|unreife/],
  ['bands', /^bands?\b|neutro\w*,? bands?\b|bastone|\bbastoes|cayados?\b|baciliform|stabkern/],
  ['neutrophils', /neutro|segment/, /ratio|lymph|linfo|antib/],
  ['lymphocytes', /lymph|linfo|\blym/, /reactive|atyp|ratio|b-|t-|cd\d|mono/],
  ['monocytes', /^mono|monocit|monozyt/, /nucle|spot|ratio/],
  ['eosinophils', /eosin|^eos\b/, /cationic|nasal|urine/],
  ['basophils', /^baso|basof/],
  [
    'wbc',
    /^(?:wbc|w\.b\.c)|white blood|leu[ck]o(?:cytes|citos|zyten|citi)|^globuli bianchi|^globules blancs|total leu[ck]ocyte/,
    /esterase|urin|bandelette|sediment|per field/,
  ],
  [
    'rbc',
    /^(?:rbc|r\.b\.c)|red (?:blood )?cell|eryt?hro[cz]yt|eritrocit|hematies|hemacias|globuli rossi|globules rouges/,
    /distribution|rdw|nucleated|urin|width|sediment|vel|breite/,
  ],
  [
    'hgb',
    /^(?:hgb|hb)\b|^ha?emoglobina?e?\b|^emoglobina|^hamoglobin/,
    /a1c|glic|gly|mean|corp|ele|a2|f\b|reti/,
  ],
  ['hct', /^(?:hct|pcv)\b|ha?ematocrit|ematocrito|hamatokrit/],
  [
    'plt',
    /^plt\b|platelet|plaquet|thrombozyt|piastrine/,
    /mean|volume|width|large|mpv|pdw|mittl|medio|moyen|ratio|cluster/,
  ],
  ['sodium', /^(?:sodium|sodio|natrium|na)\b/, /urin|fraction/],
  ['potassium', /^(?:potassium|potasio|kalium|potassio|k)\b/, /urin/],
  ['chloride', /^(?:chloride|cloruro|chlorid|chlore|cloro|cl)\b/, /urin/],
  ['calcium', /^(?:calcium|calcio|kalzium)\b/, /ion|urin|score|corr/],
  ['a1c', /a1c|glicosilada|glyquee|glicata|glicada|glykiert/, /ifcc|average/],
  [
    'glucose',
    /^(?:glucose|glucosa|glukose|glicose|glicemia|glycemie|glucosio|blutzucker)/,
    /urin|average|6|hour/,
  ],
  ['creatinine', /^(?:creatinin|kreatinin)/, /urin|clear|ratio|harn/],
  ['urea', /^(?:urea|uree|harnstoff|ureia|bun|blood urea|azotemia|urea nitrogen)/, /ratio|urin/],
  ['ph', /^ph$/],
  ['gravity', /specific gravity|^densidade?$|^densite$|peso specifico|spezifisches gewicht/],
  ['hdl', /\bhdl\b/, /non|ratio|\/|no-hdl|no hdl|nicht/],
  ['ldl', /\bldl\b/, /vldl|ratio|\/|oxid|particle|small|direct/],
  ['triglycerides', /triglyc|triglic/, /ratio|\//],
  [
    'cholesterol',
    /^(?:total )?(?:chol|colest)\w*(?:[, ]+(?:total|totale|gesamt))?\b/,
    /hdl|ldl|ratio|\/|non/,
  ],
  ['globulin', /^globulin\w*(?:[, ]+(?:total|calc\w*))?$/, /binding|alpha|beta|gamma/],
  [
    'protein',
    /^(?:total protein|protein,? total|proteinas? tota|proteines totales|gesamteiweiss|proteine totali)/,
    /urin/,
  ],
  ['albumin', /^(?:albumin|albumine|albumina)\b/, /micro|urin|ratio|\/|glob/],
  ['bilirubin', /^(?:total )?bilir\w+[, ]*(?:total|gesamt)/],
  ['tsh', /^tsh\b/],
  ['inr', /^inr\b/],
];

export function matchAnalyte(name: string): AnalyteKey | undefined {
  const text = normalizeText(name).replace(/^\W+/, '');
  return NAMES.find(([, is, isNot]) => is.test(text) && !isNot?.test(text))?.[0];
}

/** Physiological limits by unit; a value beyond them is more likely misread than true. */
// prettier-ignore
const LIMITS: readonly (readonly [AnalyteKey, RegExp, number, number])[] = [
  ['wbc', /^10?e?3|k\/ul|g\/l|thou|nl|gpt|109\/l|tsd|103/, 0.05, 600], ['rbc', /m\/|106|t\/l|mill|mio|pl$|1012/, 0.5, 12],
  ['hgb', /^g[m]?s?\/dl/, 2, 26], ['hgb', /^g\/l/, 20, 260], ['hct', /^%/, 5, 80], ['hct', /^l\/l/, 0.05, 0.8],
  ['mcv', /^fl/, 40, 160], ['mch', /^pg/, 10, 60], ['mchc', /^gm?s?\/dl|^%/, 15, 50], ['mchc', /^g\/l/, 150, 500], ['plt', /^10?e?3|k\/|g\/l|thou|nl|gpt|109\/l|103/, 1, 3000],
  ['sodium', /mmol|meq|mval/, 90, 200], ['potassium', /mmol|meq|mval/, 1.2, 12], ['chloride', /mmol|meq|mval/, 60, 150],
  ['calcium', /mg\/dl/, 3, 20], ['calcium', /mmol/, 0.7, 5], ['glucose', /mg\/dl/, 10, 2000], ['glucose', /mmol/, 0.5, 110],
  ['creatinine', /mg\/dl/, 0.08, 35], ['creatinine', /umol/, 7, 3000], ['urea', /mg\/dl/, 1, 500], ['urea', /mmol/, 0.3, 100],
  ['ph', /^$/, 4, 9.5], ['gravity', /^$/, 0.99, 1.1], ['cholesterol', /mg\/dl/, 30, 1200], ['cholesterol', /mmol/, 0.7, 32], ['hdl', /mg\/dl/, 3, 200], ['hdl', /mmol/, 0.08, 5.5],
  ['ldl', /mg\/dl/, 3, 900], ['ldl', /mmol/, 0.08, 24], ['triglycerides', /mg\/dl/, 10, 12000], ['triglycerides', /mmol/, 0.1, 135],
  ['protein', /^gm?s?\/dl/, 2, 16], ['protein', /^g\/l/, 20, 160], ['albumin', /^gm?s?\/dl/, 0.7, 8], ['albumin', /^g\/l/, 7, 80], ['bilirubin', /mg\/dl/, 0.02, 70],
  ['a1c', /^%/, 3, 22], ['inr', /./, 0.5, 20], ['tsh', /iu\/ml|mu\/l|miu\/l|iu\/l/, 0, 1500],
];

/** Whether a value is possible for an analyte; true if nothing is known. */
export function isPlausible(key: AnalyteKey, value: number, unit: string | null): boolean {
  const printed = toUnitKey(unit ?? '');
  const own = LIMITS.filter(([analyte, units]) => analyte === key && units.test(printed));
  return own.length === 0 || own.some(([, , least, most]) => value >= least && value <= most);
}

export const DIFFERENTIAL_CELLS: readonly AnalyteKey[] = [
  'neutrophils',
  'lymphocytes',
  'monocytes',
  'eosinophils',
  'basophils',
  'bands',
  'immature',
];
