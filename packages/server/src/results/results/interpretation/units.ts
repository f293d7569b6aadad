import { memoizeByText } from '../../../platform/memoize.ts';
import { isUcum, isSameMagnitude } from './ucum.ts';

/*
 * Converts units as laboratories print them to UCUM codes. Order: whole units by table, units composed of known parts,
 * then valid UCUM as printed. Returns null rather than a guess.
 */

/**
 * Whole units as printed, in lower case without spaces. Looked up before UCUM, in which `K/uL` is kelvin and `pH` a
 * picohenry.
 */
// prettier-ignore
const WHOLE_UNITS: Readonly<Record<string, string>> = {
  '%': '%', 'percent': '%', 'pct': '%', '%oftotal': '%', 'vol%': '%{vol}', '%total': '%', '%ofhb': '%{Hb}', '%normal': '%{normal}',
  '%saturation': '%', '%sat': '%', '%activity': '%{activity}', '%inhibition': '%{inhibition}',
  'ratio': '{ratio}', '(ratio)': '{ratio}', '{ratio}': '{ratio}', 'calc': '{calc}', '(calc)': '{calc}', 'calculated': '{calc}',
  'index': '{index}', 'indexvalue': '{index}', '{index_val}': '{index}', 'iv': '{index}', 'lpindex': '{index}', 'indexunit': '{index}',
  's/co': '{s_co_ratio}', 's/coratio': '{s_co_ratio}', 'signaltocutoff': '{s_co_ratio}', 'inr': '{INR}', '{inr}': '{INR}',
  'titer': '{titer}', 'titre': '{titer}', '{titer}': '{titer}', 'mom': '{M.o.M}', '{m.o.m}': '{M.o.M}', 'multofmedian': '{M.o.M}',
  'ph': '[pH]', 'phunits': '[pH]', '[ph]': '[pH]', 'units': '{units}', 'unit': '{units}', 'none': '', 'n/a': '', 'na': '', 'null': '',
  'specgrav': '{Spec_grav}', '{specgrav}': '{Spec_grav}', 'sg': '{Spec_grav}', 'score': '{score}', '{score}': '{score}',
  'k/ul': '10*3/uL', 'k/mm3': '10*3/uL', 'k/cumm': '10*3/uL', 'k/cmm': '10*3/uL', 'k/mcl': '10*3/uL', 'k/mmcu': '10*3/uL',
  'm/ul': '10*6/uL', 'm/mm3': '10*6/uL', 'm/cumm': '10*6/uL', 'm/mcl': '10*6/uL', 'm/cmm': '10*6/uL', 'g/l{feu}': 'g{FEU}/L',
  'thou/ul': '10*3/uL', 'thous/ul': '10*3/uL', 'mill/ul': '10*6/uL', 'mil/ul': '10*6/uL', 'bil/l': '10*9/L', 'giga/l': '10*9/L', 'tera/l': '10*12/L', 'gi/l': '10*9/L', 'ti/l': '10*12/L',
  'f': '[degF]', 'degf': '[degF]', 'c': 'Cel', 'degc': 'Cel', 'cel': 'Cel', 'yrs': 'a', 'years': 'a', 'weeks': 'wk', 'days': 'd',
  'mmhg': 'mm[Hg]', 'mm[hg]': 'mm[Hg]', 'mg/mgcr': 'mg/mg{creat}', '/hpf': '/[HPF]', 'perhpf': '/[HPF]', 'hpf': '/[HPF]', '/[hpf]': '/[HPF]', '/lpf': '/[LPF]', 'perlpf': '/[LPF]', 'lpf': '/[LPF]', '/[lpf]': '/[LPF]',
  'cells/hpf': '{cells}/[HPF]', 'wbc/hpf': '{WBC}/[HPF]', 'rbc/hpf': '{RBC}/[HPF]', '#/hpf': '/[HPF]', 'casts/lpf': '{casts}/[LPF]', '/100wbc': '/100{WBC}', 'per100wbc': '/100{WBC}', '/100wbcs': '/100{WBC}',
  'gpl': '[GPL\'U]', 'mpl': '[MPL\'U]', 'apl': '[APL\'U]', 'gpl-u/ml': '[GPL\'U]/mL', 'mpl-u/ml': '[MPL\'U]/mL', 'apl-u/ml': '[APL\'U]/mL',
  'gplu/ml': '[GPL\'U]/mL', 'mplu/ml': '[MPL\'U]/mL', 'aplu/ml': '[APL\'U]/mL', 'gplunits': '[GPL\'U]', 'mplunits': '[MPL\'U]', 'aplunits': '[APL\'U]', 'smu': '{SMU}', 'sgu': '{SGU}',
  'mosm/kg': 'mosm/kg', 'mosmol/kg': 'mosm/kg', 'mosm/kgh2o': 'mosm/kg', 'mosmol/kgh2o': 'mosm/kg', 'mosm/l': 'mosm/L',
  'logiu/ml': '{log_IU}/mL', 'log10iu/ml': '{log_IU}/mL', 'logcopies/ml': '{log_copies}/mL', 'log10copies/ml': '{log_copies}/mL', 'logcps/ml': '{log_copies}/mL', 'log': '{log}', 'log10': '{log}',
  'ml/min/1.73m2': 'mL/min/{1.73_m2}', 'ml/min/1.73m^2': 'mL/min/{1.73_m2}', 'ml/min/1.73': 'mL/min/{1.73_m2}', 'ml/min/1.73sqm': 'mL/min/{1.73_m2}', 'ml/min/1.73m²': 'mL/min/{1.73_m2}', 'ml/min/{1.73_m2}': 'mL/min/{1.73_m2}', 'ml/min/1.73sq.m.': 'mL/min/{1.73_m2}', 'ml/min/1.73sq.m': 'mL/min/{1.73_m2}', 'ml/min/1.73mm2': 'mL/min/{1.73_m2}', 'ml/min/1.73_m2': 'mL/min/{1.73_m2}', 'ml/min/bsa': 'mL/min/{1.73_m2}', 'ml/min/1.73.m2': 'mL/min/{1.73_m2}', 'ml/min/1.73sqmeters': 'mL/min/{1.73_m2}',
};

/** Parts of a unit, on either side of a slash, in lower case. */
// prettier-ignore
const UNIT_PARTS: Readonly<Record<string, string>> = {
  'g': 'g', 'gm': 'g', 'gms': 'g', 'gram': 'g', 'grams': 'g', 'mg': 'mg', 'mgs': 'mg', 'ug': 'ug', 'mcg': 'ug', 'ng': 'ng', 'pg': 'pg', 'fg': 'fg', 'kg': 'kg', 'lb': '[lb_av]',
  'mol': 'mol', 'mmol': 'mmol', 'mmole': 'mmol', 'mmoles': 'mmol', 'umol': 'umol', 'mcmol': 'umol', 'nmol': 'nmol', 'nmoles': 'nmol', 'pmol': 'pmol', 'fmol': 'fmol',
  'eq': 'eq', 'meq': 'meq', 'ueq': 'ueq', 'osm': 'osm', 'mosm': 'mosm',
  'iu': '[IU]', 'int.units': '[IU]', 'intlunits': '[IU]', 'miu': 'm[IU]', 'uiu': 'u[IU]', 'mciu': 'u[IU]', 'mcintlunits': 'u[IU]', 'kiu': 'k[IU]', 'u': 'U', 'mu': 'mU', 'uu': 'uU', 'mcu': 'uU', 'ku': 'k[IU]', 'kua': 'k[IU]', 'unit': 'U', 'units': 'U',
  '[iu]': '[IU]', 'm[iu]': 'm[IU]', 'u[iu]': 'u[IU]', 'k[iu]': 'k[IU]', '[arb\'u]': '[arb\'U]', 'au': '[arb\'U]', 'eu': '{ELISA_U}', 'elisau': '{ELISA_U}', 'bu': '[beth\'U]', 'ru': '{RU}', 'chemunits': '{CU}', 'cu': '{CU}', 'gpl': '[GPL\'U]', 'mpl': '[MPL\'U]', 'apl': '[APL\'U]',
  'l': 'L', 'liter': 'L', 'litre': 'L', 'dl': 'dL', 'cl': 'cL', 'ml': 'mL', 'cc': 'mL', 'cm3': 'cm3', 'ul': 'uL', 'mcl': 'uL', 'mm3': 'uL', 'mm^3': 'uL', 'cumm': 'uL', 'cu.mm': 'uL', 'cmm': 'uL', 'mmcu': 'uL', 'nl': 'nL', 'pl': 'pL', 'fl': 'fL', '100ml': 'dL',
  's': 's', 'sec': 's', 'secs': 's', 'second': 's', 'seconds': 's', 'min': 'min', 'mins': 'min', 'minute': 'min', 'minutes': 'min', 'h': 'h', 'hr': 'h', 'hrs': 'h', 'hour': 'h', 'hours': 'h', '(24.h)': '(24.h)', '24h': '(24.h)', '24hr': '(24.h)', '24hrs': '(24.h)', '24hours': '(24.h)', '24hour': '(24.h)', 'd': 'd', 'day': 'd', 'wk': 'wk', 'week': 'wk', 'yr': 'a', 'year': 'a',
  'm': 'm', 'cm': 'cm', 'mm': 'mm', 'um': 'um', 'nm': 'nm', 'in': '[in_i]', 'm2': 'm2', 'm^2': 'm2', 'm²': 'm2', 'kpa': 'kPa', 'ukat': 'ukat', 'nkat': 'nkat',
  'cells': '{cells}', 'cell': '{cells}', '#': '{#}', 'copies': '{copies}', 'copy': '{copies}', 'cps': '{copies}', 'cp': '{copies}', '{copies}': '{copies}', 'cfu': '[CFU]', '[cfu]': '[CFU]', 'col': '{colonies}', 'colonies': '{colonies}', 'events': '{events}', 'million': '10*6', 'millions': '10*6', 'mill': '10*6', 'mil': '10*6', 'thousand': '10*3', 'thousands': '10*3', 'thou': '10*3', 'thous': '10*3', 'tho': '10*3', 'billion': '10*9', 'bil': '10*9',
  'gcreat': 'g{creat}', 'gcr': 'g{creat}', 'gcreatinine': 'g{creat}', 'g{creat}': 'g{creat}', 'g.creat': 'g{creat}', 'gcrt': 'g{creat}', 'mgcreat': 'mg{creat}', 'mgcr': 'mg{creat}', 'mgcreatinine': 'mg{creat}', 'mg{creat}': 'mg{creat}', 'mmolcreat': 'mmol{creat}', 'mmolcr': 'mmol{creat}', 'mmolcreatinine': 'mmol{creat}', 'mmol{creat}': 'mmol{creat}', 'molcreat': 'mol{creat}',
  'ghb': 'g{Hb}', 'ghgb': 'g{Hb}', 'g{hb}': 'g{Hb}', 'ngfeu': 'ng{FEU}', 'ng{feu}': 'ng{FEU}', 'ugfeu': 'ug{FEU}', 'mcgfeu': 'ug{FEU}', 'mgfeu': 'mg{FEU}', 'ug{feu}': 'ug{FEU}', 'mg{feu}': 'mg{FEU}', 'ngddu': 'ng{DDU}', 'nmolbce': 'nmol{BCE}', 'nmbce': 'nmol{BCE}', 'mmcreat': 'mmol{creat}', 'hpf': '[HPF]', '[hpf]': '[HPF]', 'lpf': '[LPF]', '[lpf]': '[LPF]', 'mole': 'mol', 'ml(rbc)': 'mL{RBCs}', 'mlrbc': 'mL{RBCs}', 'mgprotein': 'mg{prot}', 'tubes': '{tubes}',
};

const POWER_OF_TEN = /^(?:x|\*)?10(?:\^|\*|\*\*|e|exp|x)?\+?0?(2|3|4|5|6|9|12)$/;
const PRINTED_LENGTH_MAX = 40;

/** The UCUM code of a printed unit; null where there is none, or none that is certain. */
export function toUcum(printed: string | null): string | null {
  return printed === null || printed.length > PRINTED_LENGTH_MAX ? null : lookUpUcum(printed);
}

const lookUpUcum = memoizeByText((printed) => resolveUnit(printed.trim().replace(/[µμ]/g, 'u')));

export const isUnit = (printed: string): boolean => printed !== '' && toUcum(printed) !== null;

/** Whether two units have the same size, so that values can be compared; null where that is unknown. */
export function isSameUnit(one: string | null, other: string | null): boolean | null {
  const [a, b] = [toUcum(one), toUcum(other)];
  if (a === null || b === null) return one !== null && one === other ? true : null;
  return a === b || isSameSizeCached(`${a}\n${b}`);
}

/**
 * Whether values in the two units may be compared: the units have the same size, possibly after removing remarks, as in
 * `mg/dL (calc)` and `% of total Hgb`.
 */
export const isComparable = (one: string, other: string): boolean =>
  isSameUnit(one, other) ?? isSameUnit(withoutRemark(one), withoutRemark(other)) === true;

const withoutRemark = (printed: string): string => printed.trim().replace(/(?<=\S)(?:\s+|\().*$/, '');

/** Takes two codes joined by a line break. Cached, because the library's comparison is slower than parsing a result. */
const isSameSizeCached = memoizeByText((codes) => {
  const [a = '', b = ''] = codes.split('\n').map(withoutAnnotations);
  return a === b || isSameMagnitude(a, b);
});

/** Removes annotations: `ng{FEU}/mL` equals `ng/mL`. `IU/L` and `U/L` are used interchangeably. */
const withoutAnnotations = (ucum: string): string =>
  ucum.replace(/(?<=[\w\]%)])\{[^}]*\}/g, '').replaceAll('[IU]', 'U');

function resolveUnit(text: string): string | null {
  const small = text.toLowerCase().replace(/\s+/g, '');
  const whole = Object.hasOwn(WHOLE_UNITS, small) ? WHOLE_UNITS[small] : undefined;
  if (whole !== undefined) return whole === '' ? null : whole;
  return composeUnit(small) ?? parseUcum(text);
}

/** `mcg/24 hr`, `x10E3/uL`, `IU/L`, `mg/g creat`: looks up each part. */
function composeUnit(small: string): string | null {
  const parts = small.replace(/per(?=\w)/g, '/').split('/');
  const read = parts.map((part, at) => (at === 0 && part === '' ? '' : resolveUnitPart(part)));
  if (read.some((part) => part === null) || read.join('') === '') return null;
  const [first = '', ...rest] = read;
  return [first, ...rest].join('/');
}

function resolveUnitPart(part: string): string | null {
  if (Object.hasOwn(UNIT_PARTS, part)) return UNIT_PARTS[part] ?? null;
  const power = POWER_OF_TEN.exec(part);
  if (power) return `10*${power[1]}`;
  const counted = /^(.+?)(cells|cell|copies|wbc|rbc)$/.exec(part);
  const of = counted?.[1] === undefined ? null : resolveUnitPart(counted[1]);
  return of === null || !of.startsWith('10*') ? null : `${of}{${counted?.[2] ?? ''}}`;
}

/** Old systems print all capitals; in UCUM `PG/ML` would be petagauss per megaliter. */
function parseUcum(text: string): string | null {
  const isShouted = text === text.toUpperCase() && /[A-Z]{2}/.test(text.replace(/\[[^\]]*\]/g, ''));
  return UCUM_LIKE.test(text) && !isShouted && !MISLEADING_UCUM.has(text) && isUcum(text) ? text : null;
}

/** Short, has a letter or `%`, and a minus only in an exponent: the library is slow on other text. */
const UCUM_LIKE = /^(?=.*[A-Za-z%])(?!.*(?<!\d?[A-Za-z\]*])-)[\w%./*^[\]{}()'-]{1,24}$/;

/** Valid in UCUM, but laboratories never mean the UCUM unit. */
const MISLEADING_UCUM = new Set([
  'K',
  'S',
  'M',
  'N',
  'T',
  'B',
  'G',
  'F',
  'C',
  'P',
  'H',
  'A',
  'R',
  'a',
  'b',
  't',
  'u',
  '1',
  '10',
]);
