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
  | 'inr'
  | 'bun'
  | 'non_hdl'
  | 'vldl'
  | 'cholesterol_ratio'
  | 'albumin_ratio'
  | 'bun_ratio'
  | 'direct_bilirubin'
  | 'indirect_bilirubin'
  | 'iron'
  | 'tibc'
  | 'saturation'
  | 'average_glucose'
  | 'alt'
  | 'ast'
  | 'alp'
  | 'ggt'
  | 'magnesium'
  | 'phosphate'
  | 'urate'
  | 'crp'
  | 'ferritin'
  | 'free_t4'
  | 'vitamin_d'
  | 'vitamin_b12'
  | 'egfr'
  | 'rdw'
  | 'mpv';

const NAMES: readonly (readonly [AnalyteKey, RegExp, RegExp?])[] = [
  ['albumin_ratio', /^a\s?\/\s?g\b|^albumin\w*\s?\/\s?globulin/],
  ['bun_ratio', /^(?:bun|urea nitrogen)\s?\/\s?creat/],
  ['cholesterol_ratio', /^(?:total )?(?:chol|colest|tc\b)[^/]*\/\s?hdl/],
  ['non_hdl', /\bnon?[- ]?hdl\b|nicht-hdl/, /ratio|\//],
  ['vldl', /\bvldl\b/, /ratio|\/|size|particle/],
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
  ['bun', /^bun\b|^(?:blood )?urea nitrogen/, /ratio|urin|\//],
  ['urea', /^(?:urea|uree|harnstoff|ureia|blood urea|azotemia)/, /ratio|urin|nitrogen/],
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
  ['indirect_bilirubin', /^(?:indirect|unconjugated) bili|^bili\w+[, (]*(?:indire[ck]t|unconj)/, /urin/],
  ['direct_bilirubin', /^(?:direct|conjugated) bili|^bili\w+[, (]*(?:dire[ck]t|conj)/, /urin|delta/],
  ['bilirubin', /^(?:total )?bilir\w+[, ]*(?:total|gesamt)|^total bili\w+$/],
  ['tsh', /^tsh\b/],
  ['inr', /^inr\b/],
  ['saturation', /^(?:iron|transferrin|%|tibc)[ ,%]*sat|^sat\w* de transferrin/],
  ['tibc', /^tibc\b|^(?:total )?iron[- ]bind\w+ cap|^iron bind/, /unsat|uibc/],
  ['iron', /^(?:iron|hierro|eisen|fer|ferro)(?:[, ]+(?:total|serum|serico|serique|sierico))?$/],
  ['average_glucose', /^(?:estimated|est\.?|mean) (?:average|avg\.?|mean|plasma) glucose|^eag\b/],
  ['alt', /^(?:alt|gpt|sgpt|tgp|alat)\b|^alanin\w* (?:amino|trans)/, /ratio|\/\s?ast/],
  ['ast', /^(?:ast|got|sgot|tgo|asat)\b|^aspartat\w* (?:amino|trans)/, /ratio|\/\s?alt|\bplatelet/],
  [
    'alp',
    /^alk\w*[ .]*phos\w*|^alp\b|^fosfatas\w alcalin|^alkalische phosph|^phosphatases? alcalin/,
    /bone|iso|knoch|oss/,
  ],
  ['ggt', /^(?:ggt|gamma-?gt|g-?gt|y-?gt)\b|^gamma[- ]glutam/],
  ['magnesium', /^(?:magnesium|magnesio|mg)\b/, /urin|rbc|eryt/],
  ['phosphate', /^(?:phosphat?e?|phosphorus|phosphor|fosforo|fosfato)\b(?! alc)/, /urin|alk/],
  ['urate', /^(?:uric acid|urate|acido urico|harnsaure|acide urique)\b/, /urin/],
  ['crp', /^(?:hs-?)?crp\b|^c-?reactive prot|^pcr\b/, /dna|rna|sars|cov|ct\b/],
  ['ferritin', /^ferritin/],
  ['free_t4', /^(?:free t4|t4,? free|ft4|t4l|t4 libre|freies t4|free thyroxine)\b/, /index/],
  ['vitamin_d', /^(?:vitamin d\b.*25|25[- ]?(?:oh|hydroxy)[- ]?(?:vit\w* ?d|vitamin d))/, /1,\s?25|d2|d3$/],
  ['vitamin_b12', /^(?:vit\w*\.? )?b-?12\b/, /bind|active|holo/],
  ['egfr', /^e?gfr\b/],
  ['rdw', /^rdw\b/],
  ['mpv', /^(?:mpv|vpm|mtv)\b/],
];

export function matchAnalyte(name: string): AnalyteKey | undefined {
  const text = normalizeText(name).replace(/^\W+/, '');
  return NAMES.find(([, is, isNot]) => is.test(text) && !isNot?.test(text))?.[0];
}

/** Single cells per microliter. */
const ONE_CELL = /^(?:cells?|c[eé]l\w*\.?|zellen)?\/(?:ul|mcl|mm3|mmc|cumm|cmm)$|^(?:ul|mm3|cumm|cmm)$/;
const ENZYME = /^[iu]*[ui]\/l$/;

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
  ['wbc', ONE_CELL, 50, 600_000], ['plt', ONE_CELL, 1_000, 3_000_000], ['rbc', ONE_CELL, 500_000, 12_000_000],
  ['neutrophils', ONE_CELL, 1, 400_000], ['lymphocytes', ONE_CELL, 20, 500_000],
  ['bun', /mg\/dl/, 1, 300], ['bun', /mmol/, 0.3, 100], ['bilirubin', /umol/, 0.3, 1200],
  ['iron', /ug\/dl/, 2, 5000], ['iron', /umol/, 0.3, 900], ['tibc', /ug\/dl/, 30, 1500], ['saturation', /^%/, 0.5, 150],
  ['alt', ENZYME, 1, 50_000], ['ast', ENZYME, 1, 50_000], ['alp', ENZYME, 3, 10_000], ['ggt', ENZYME, 1, 10_000],
  ['magnesium', /mg\/dl/, 0.3, 15], ['magnesium', /mmol/, 0.15, 6], ['phosphate', /mg\/dl/, 0.3, 30], ['phosphate', /mmol/, 0.1, 10],
  ['urate', /mg\/dl/, 0.2, 40], ['urate', /umol/, 10, 2500], ['crp', /mg\/l/, 0, 1000], ['crp', /mg\/dl/, 0, 100],
  ['ferritin', /ng\/ml|ug\/l/, 0.5, 200_000], ['free_t4', /ng\/dl/, 0.03, 20], ['free_t4', /pmol/, 0.4, 250],
  ['vitamin_d', /ng\/ml/, 1, 500], ['vitamin_d', /nmol/, 2, 1250], ['vitamin_b12', /pg\/ml|ng\/l/, 20, 50_000], ['vitamin_b12', /pmol/, 15, 40_000],
  ['egfr', /ml\/min/, 1, 300], ['rdw', /^%/, 7, 50], ['rdw', /^fl/, 20, 160], ['mpv', /^fl/, 3, 25],
  ['a1c', /^%/, 3, 22], ['inr', /./, 0.5, 20], ['tsh', /iu\/ml|mu\/l|miu\/l|iu\/l/, 0, 1500],
];

/** Whether a value is possible for an analyte, without a unit in any; true if nothing is known. */
export function isPlausible(key: AnalyteKey, value: number, unit: string | null): boolean {
  const printed = toUnitKey(unit ?? '');
  const own = LIMITS.filter(([analyte, units]) => analyte === key && (printed === '' || units.test(printed)));
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
