import { parseFlagLevel } from './lexicon/flags.ts';
import { memoizeByText } from './text-normalization.ts';

/**
 * Units as laboratories print them, recognized by their form (factor, quantity, denominator), so that no list of all
 * units is needed. Single letters are not units; they are flags and sexes.
 */
const METRIC = String.raw`(?:[kcdmuµμηnpfa]|mc|mic)?`;
const SOLID = String.raw`(?:${METRIC}(?:grs?|gms?|gramos|grammi|g|mole?s?|mols?|kat|eq|val|osm(?:ol)?|iu|ui|u\.?i\.?|i\.?u\.?|ie|(?:intl\.?\s?)?units?|unidades|einh(?:eiten)?\.?|u|e|katal|bq|mhg|pa)|gpl|mpl|apl|[gma]pl-?u|sgu|smu|au|ua|ru|ku|kua|kiu|bau|bu|beu|ce|rlu|arb\.?\s?u\.?|index|ratio|mom|copies|cop(?:ias)?|cps|kopien|geq|e\.?u\.?|ehrlich|cfu|ufc|kbe|log(?:10)?|feu|ddu|ffu|spots?|titer|eia|pfu|nm\s?bce|bce|mol|vol|zellen|cells?|c[ée]l(?:ulas|\.|s)?|cellule|ery|leu(?:[kc]o?)?|erythrozyten|leukozyten|wbcs?|rbcs?|w\.?b\.?c\.?|k|m|g|t|gpt|tpt|giga|tera|thous?|thousands?|tsd\.?|mill?|millions?|mio\.?|mrd\.?|milh[õo]es|milhoes|mil(?:lones|es)?|milioni|mille|lakhs?|x|n|nr|pz)(?:\s?(?:feu|ddu|bce))?`;
const FLOW = String.raw`(?:${METRIC}l|mm|µm)`;
const LITER = String.raw`(?:[cdmuµμηnpf]|mc)?(?:lt?r?s?\.?)`;
const PER = String.raw`(?:${LITER}|(?:c|d|m)?m\^?[23³²]|cu\.?mm\.?|cmm|cumm\.?|mmc|mcl|ul|h\.?p\.?f\.?|l\.?p\.?f\.?|campos?|champ|feld|gf|gesichtsfeld|(?:high|low)powerfield|[kmuµμn]?gr?|kg(?:kh)?|(?:m|µ|u)?mol|creat\.?(?:inine?)?|crea\.?|kreat?\.?(?:inin)?|krea|cr\.?|creatinina|creatinine|cr[ée]at\.?|hb|hgb|protein|24\s?(?:h|hs|hrs?|hours?|horas?|std\.?|ore|heures?)|d|day|tag|jour|die|d[íi]a|dia|h|hr?s?\.?|hour|hora|ora|heure|std\.?|stunde|1\.?\s?h|min(?:ute?|uto)?\.?|m|s|sec|sek|100\s?(?:ml|wbcs?|leu[kc]\w*|cells?)|1[.,]73[\s_]?(?:sq\.?)?m?q?m?[\^*]{0,2}[2²]?(?:m\^?2)?|mg|test|volume|vol|eyaculad[oa]|e[jy]acul\w*|ery|leu[kc]o?|dl)`;
const FACTOR = String.raw`(?:[x×*]?\s?10\s?(?:[\^*eE]{1,2}\s?[+-]?\d{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]+|exp\.?\d+|[369]|12)|[x×]10|[x×]\s?e\d{1,2}|10{2,6}|1[.,]?000)`;
const TAIL = String.raw`(?:\(?(?:feu|ddu|creat\.?(?:inine?)?|crea\.?|krea\.?|kreat\.?(?:inin)?|cr\.?|hb|creatinina|ofhb|oftotal|\(calc\)|calc\.?|equiv\w*|bce|fibr\w*|ifcc|ngsp|dcct|n[.,]?feu)\)?)?`;

const COMPOUND = new RegExp(
  String.raw`^\(?\[?(?:${FACTOR}\s?[x×*]?)?(?:log(?:10)?)?(?:${SOLID}|${FLOW})?(?:\^?[23³²])?(?:(?:/|\bper\b|por|pro)(?:${FACTOR}|${PER}))(?:/\{?(?:${PER})\}?)?${TAIL}\]?\)?\.?$`,
  'iu',
);
const SINGLE =
  /^\(?\[?(?:%|‰|percent|prozent|vol\.?-?%|(?:m?g|gr?|gms?|mg|mgs)\.?%|%\(?(?:of|der|des|del|de|di)?(?:total|hb|wbc|ctrl|control|norm|activity|tp|thb|hba1c|ngsp|dcct|gesamt\w*|lymph\w*|total\w*|leuc?k?o\w*|microcyt\w*|hipo\w*)|%\(?(?:ngsp|dcct)\)?|f[lL]|fl\.?|femtol(?:iter|itros)?|[uµμ]m\^?[3³]|[µμ]\^?[3³]|cuu?m|cu\.?mm\.?|c\.?mm\.?|pg(?:\/(?:cell|zelle|ery|c[ée]l\.?|cellule))?|picog(?:ramos|rams)?|pgs|vol\.?fr\.?|volumefraction|g|mg|ng|[uµμ]g|mcg|ml|secs?\.?|seconds?|segundos?|seg\.?|segs\.?|sek\.?|sekunden|secondes?|secondi|s|min\.?|mins|minutes?|minutos?|mm3?|cm|kg|mmhg|kpa|index|indice|[íi]ndice|indx|ratio|inr|s\/co|s\/c|s\/n|coi|titers?|titre|titer|titulo|score|mom|mosm|iu|ui|u|units?|a\.?u\.?|fmol|[ump]mol|m?osmol|milhoes|cells?|°c|years?|yrs|hours?|horas|heures|stunden|d[íi]as|days|tage|jours|giorni|x\/?c(?:ampo)?|cu|sds?|%\(?calc\.?\)?|bpm|u\.?ph|mm\/?\(?(?:1(?:[ªa°.]*|st)\s?)?h(?:r|ora|our)?\)?|mm(?:1st|1)?(?:hr?|hour|stunde|std|ora|hora)\.?|gpl|mpl|apl|s[gma]u|gpl-u\/ml|copies|log|feu|nm|[km]?iu|mg\/?dl|ng\/?ml|[km]\/?ul|millionen|isi|umo|rf|mm(?:at|in|after)(?:the)?(?:endof)?(?:the)?(?:1|1st|first|one)(?:hrs?|hour)\.?|(?:proportion|fraction)of(?:total)?(?:hgb|hb)|u\/g\s?hb|cfu|ufc|mil|i\.?n\.?r\.?)\]?\)?$/iu;
const NOT_UNITS = new Set([
  'n/l',
  'h/l',
  'l/h',
  'g/t',
  'm/s',
  'k/m',
  'm/d',
  'd/m',
  'm/m',
  'x/d',
  'ratio',
  'n/m',
  'e/e',
  's',
  'm/h',
  't/s',
  'm/t',
  't/d',
  't/m',
  'k/d',
  '/m',
  '/f',
]);

/** The counted or weighed substance may be named: Ery/µL, µg Elast./g. */
const COUNTED =
  /^(?:h[ée]m|er[iy]|leu|lin|ly|neu|eos|bact|spz|esperm|plaq|thro|trom|epi|paras)\p{L}{0,8}\.?\/(?:[uµμ]l|mm\^?[3³]|campo|champ|feld|hpf|lpf|gf)$/iu;
/** "1,9 x10⁶" for absolute counts. */
const COUNT = /^[x×]10(?:\^\d{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})$/u;
/** "µmol/l*s" and "µmol/(s·L)": katal per liter in older notation. */
const KATAL_UNIT =
  /^[mnpuµμ]?mol\/[([]?(?:m?l[*·.x×]?(?:s|min|h)|(?:s|min|h)[*·.x×]?m?l|m?l\/(?:s|min|h)|(?:s|min|h)\/m?l)[)\]]?$/iu;
const WEIGHED = /^[kmuµμn]?g\s?\p{Lu}\p{Ll}{2,8}\.?\/[kmuµμn]?g$/u;

/** "RNA copies/mL" */
const NUCLEIC_ACID = /^(?:[rd]na|a[rd]n)(?=cop|kop|iu|ui|ie|geq|log)/iu;

/** Whether a text, ignoring blanks, is a unit and unlikely to be anything else. */
export const isUnit = memoizeByText((text: string): boolean => {
  const tight = text.replaceAll(/\s+/g, '').replace(NUCLEIC_ACID, '');
  if (tight.length > 26 || NOT_UNITS.has(tight.toLowerCase()))
    return tight === 'ratio' || tight === 'Ratio' || tight === 's';
  return (
    SINGLE.test(tight) ||
    COMPOUND.test(tight) ||
    COUNT.test(tight) ||
    COUNTED.test(text) ||
    WEIGHED.test(tight) ||
    KATAL_UNIT.test(tight)
  );
});

/** How many words from `start` on are one unit; 0 for none. */
export function unitLength(words: readonly string[], start: number): number {
  // "mm at the end of 1 hour"
  const most = words[start] === 'mm' ? 7 : 5;
  for (let count = Math.min(most, words.length - start); count > 0; count -= 1) {
    const some = words.slice(start, start + count);
    const endsInFlag = count > 1 && isFlag(some.at(-1) ?? '') && !some.at(-2)?.endsWith('/');
    if (!endsInFlag && isUnit(some.join(' '))) return count;
  }
  return 0;
}

/** A letter, or a word such as "BAJO", that no unit ends with. */
const isFlag = (text: string): boolean =>
  /^[HLAN]$/.test(text) || (/^\p{L}{3,}$/u.test(text) && (parseFlagLevel(text) ?? 'normal') !== 'normal');

/** Normal form of a unit: equal for different spellings of the same unit. */
export const toUnitKey = (unit: string): string =>
  unit
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[μµ]/gu, 'u')
    .replaceAll(/mcg/g, 'ug')
    .replaceAll(/[\s()[\].^*x×]/gu, '');
