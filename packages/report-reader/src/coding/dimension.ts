/** The kind of quantity that a unit measures. Units can be converted within one dimension only. */
// prettier-ignore
export type UnitDimension =
  | 'mass' | 'substance' | 'activity' | 'count' | 'fraction' | 'ratio' | 'per_creatinine' | 'molar_fraction'
  | 'mass_rate' | 'substance_rate' | 'area_count' | 'gfr' | 'clearance' | 'time' | 'sedimentation' | 'cell_volume'
  | 'cell_mass' | 'osmolality' | 'pressure' | 'titer' | 'copies' | 'logarithm' | 'volume' | 'mass_content' | 'per_100_cells';

const VOLUME = String.raw`(?:100ml|[dcmunpf]?lt?r?s?|mc[l]|mmc|cm3|mm3|cmm|cumm|ul)`;
const COUNTED = String.raw`(?:x?e\d{1,2}|x?10[\^*e]*\+?\d{1,2}|x?10(?:exp)?\d|[kmgt]|x10|10|giga|tera|mil(?:l|lones|hoes|ioni|li?ons?|lion)?|mio|mrd|tsd|thous?(?:and)?|thousands?|cells?|cel(?:ulas|lule)?|zellen|lakhs?|leu[kc]o?|ery|wbc|rbc|n|nr|#)`;
const CREATININE =
  /^[mun]?(?:g|gr|mol)\/(?:g|mg|m?mol|umol)(?:cr|crea|creat|creatinine?|kreatinin|krea|creatinina)?$/;

// prettier-ignore
const RULES: readonly (readonly [RegExp, readonly UnitDimension[]])[] = [
  [/^mmol\/mol(?:hb)?$/, ['molar_fraction', 'per_creatinine']],
  [/^(?:%|percent|prozent|vol%|l\/l|ml\/dl|g%of.*|%.*)$/, ['fraction']],
  [/^(?:ratio|index|indexval|indice|inr|s\/co|coi|ph|u\.?ph|specgrav|mom|odunit|eiaunits?|riskratio|odratio)$/, ['ratio']],
  [/(?:hpf|lpf|campo|champ|gesichtsfeld|\/gf|\/cp|powerfield)/, ['area_count']],
  [/^ml\/min\/?.*1[.,]?73/, ['gfr']],
  [/^ml\/min/, ['clearance', 'gfr']],
  [/^[mun]?g\/(?:24\.?(?:h|hr|hrs|hours?|std|ore|horas?|heures)|d|day|dia|die|tag|min|jour)$/, ['mass_rate']],
  [/^[mun]?(?:mol|eq)\/(?:24\.?(?:h|hr|hrs|hours?|std|ore|horas?|heures)|d|day|dia|die|tag|jour)$/, ['substance_rate']],
  [/^(?:\/100(?:wbcs?|leu[kc]?\w*|cells)|%wbc|nrbc\/100wbc)$/, ['per_100_cells', 'fraction', 'ratio']],
  [/^(?:s|secs?|seconds?|seg|segs|segundos|sek|sekunden|secondes?|secondi|min|minutes?)$/, ['time']],
  [/^mm(?:\/?\(?(?:1(?:st|a)?)?(?:h|hr|hour|std|stunde|ora|hora|heure)?\)?)?$/, ['sedimentation']],
  [/^(?:fl|um3|u3|femtolit\w+|cuum)$/, ['cell_volume']],
  [/^(?:pg|pg\/(?:cell|ery|zelle)|picogr\w+|uug|pgs)$/, ['cell_mass']],
  [/^m?osm(?:ol)?\/(?:kg|l)/, ['osmolality']],
  [/^(?:mmhg|kpa)$/, ['pressure']],
  [/^(?:titer|titre|titulo|titolo)$/, ['titer']],
  [/^log/, ['logarithm']],
  [/cop(?:ies|ias|ie)?\/|kopien|^cp\//, ['copies', 'count']],
  [/^(?:ml|l)$/, ['volume']],
  [CREATININE, ['per_creatinine', 'mass_content', 'ratio']],
  [/^[mun]?g\/k?g$/, ['mass_content', 'mass']],
  [new RegExp(`^(?:[kmunpf]|mc)?(?:g|gr|gm|gms|grs)(?:feu|ddu)?/${VOLUME}(?:feu|ddu)?$`), ['mass']],
  [/^m?g%$|^gm?%$|^mgs?%$/, ['mass']],
  [/^[munp]?mol\/(?:m?l[*x.]?(?:s|min|h)|(?:s|min|h)[*x.]?m?l|m?l\/(?:s|min|h)|(?:s|min|h)\/m?l)$/, ['activity']],
  [new RegExp(`^(?:[munpf])?(?:mol|mole|moles|eq|val)/${VOLUME}$`), ['substance']],
  [new RegExp(`^(?:[kmun]|mc)?(?:iu|ui|u|ie|au|arbu|e|kat|[gma]pl-?u?|mpsu|ru|units?|ehrlichu|unidades|einheiten|ua|eu|ai|sgu|beu|cu|mui|uiu|miu)/(?:${VOLUME}|ghb|mlrbcs|g|h)$`), ['activity']],
  [/^(?:arbu|ai|iu|ui|u|units?|gplu|mplu|ku|au|ru)$/, ['activity']],
  [new RegExp(`^(?:${COUNTED}(?:/|x)?)?(?:${COUNTED})?/?${VOLUME}$`), ['count']],
  [/^\/(?:ul|nl|pl|ml|l|mm3|cumm|mmc|cmm|mcl)$/, ['count']],
];

/** The one case-sensitive rule: in French and German G/L counts cells (10^9 per liter), while g/L is grams. */
const CELLS_A_LITRE = /^(?:G|T)\/?[lL]$|^Gpt\/|^Tpt\/|^Giga|^T[eé]ra/;

const dimensionCache = new Map<string, readonly UnitDimension[]>();

/** The possible dimensions of a printed or UCUM unit; empty for an unknown unit. */
export function dimensionsOf(unit: string): readonly UnitDimension[] {
  const known = dimensionCache.get(unit);
  if (known) return known;
  const found = parseDimensions(unit);
  if (dimensionCache.size < 5_000) dimensionCache.set(unit, found);
  return found;
}

function parseDimensions(unit: string): readonly UnitDimension[] {
  const printed = unit.normalize('NFKC').replaceAll(/\s/g, '');
  if (CELLS_A_LITRE.test(printed)) return ['count'];
  const tight = printed
    .toLowerCase()
    .replaceAll(/[μµ]/gu, 'u')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('mcg', 'ug')
    .replaceAll('mcl', 'ul')
    .replaceAll(/\(?\b(?:calc|calculated|berechnet|calculado|notestab)\b\.?\)?/g, '')
    .replaceAll(/[[\]{}()'"]/g, '')
    .replaceAll('²', '2')
    .replaceAll('×', 'x')
    .replaceAll('·', '')
    .replaceAll('i.u.', 'iu')
    .replace(/\bper\b/, '/')
    .replace(/(?<!\d)\.$/, '');
  return RULES.find(([form]) => form.test(tight))?.[1] ?? [];
}

// prettier-ignore
const PROPERTIES: Readonly<Record<string, readonly UnitDimension[]>> = {
  MCnc: ['mass'], SCnc: ['substance'], CCnc: ['activity'], ACnc: ['activity'], NCnc: ['count'], Naric: ['area_count'],
  Titr: ['titer'], MRat: ['mass_rate'], SRat: ['substance_rate'], MRto: ['ratio', 'per_creatinine'],
  SRto: ['ratio', 'per_creatinine'], Ratio: ['ratio', 'fraction'], RelRto: ['ratio', 'fraction'], MFr: ['fraction', 'ratio'],
  VFr: ['fraction', 'ratio'], NFr: ['fraction', 'ratio'], SFr: ['fraction', 'molar_fraction'], EntVol: ['cell_volume'],
  EntMass: ['cell_mass'], LnCnc: ['logarithm'], Time: ['time'], Vel: ['sedimentation'], ArVRat: ['gfr'], VRat: ['clearance', 'gfr'],
  MCnt: ['mass_content'], Osmol: ['osmolality'], PPres: ['pressure'],
};

interface LoincQuantity {
  readonly property: string;
  /** Example units, separated by `;`. */
  readonly units: string;
  readonly name: string;
}

/** The dimensions of a LOINC code. */
export function dimensionsOfCode({ property, units, name }: LoincQuantity): readonly UnitDimension[] {
  if (name.includes('IFCC')) return ['molar_fraction'];
  if (property === 'PrThr' || property === 'Prid' || property === 'Type') return [];
  // g/dL was formerly printed as percent, and many laboratories still do so for MCHC.
  if (/corpuscular hemoglobin concentration|^MCHC/i.test(name)) return ['mass', 'fraction'];
  const byProperty = PROPERTIES[property] ?? [];
  const byUnits = units === '' ? [] : units.split(';').flatMap((unit) => dimensionsOf(unit.trim()));
  const kept = byProperty.length === 0 || byProperty.some((one) => byUnits.includes(one)) ? byUnits : [];
  // A fraction may be printed without a unit or as a ratio. A percentage is a fraction and never an INR.
  const asRatio: readonly UnitDimension[] = kept.includes('fraction') ? ['ratio'] : [];
  return [...new Set([...byProperty, ...kept, ...asRatio])];
}
