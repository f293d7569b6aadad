/**
 * Typical OCR misreadings and their corrections, limited to cases in which the form of the word leaves no doubt.
 * Applied in order; every match is replaced.
 */
export const MISREADINGS: readonly (readonly [RegExp, string])[] = [
  // Iron, Insulin, IgG: no word begins with a small l before these letters.
  [/^(\(?)l(?=[bcdfghjkmnpqrstvwxz]\p{Ll}{2}|g[AEGM]\b)/gu, '$1I'],
  // S-IgG, after the letter of the specimen.
  [/(?<=^\p{Lu}{1,2}-)l(?=g[AEGM]\b)/gu, 'I'],
  // Albumin, (Ultrasensitive): no capital I inside a word.
  [/(?<=\p{L})I(?=\p{Ll})/gu, 'l'],
  // Collected, in a monospaced font; not HbA1c.
  [/(?<=\p{Ll})1(?=1?\p{Ll})/gu, 'l'],
  [/(?<=\p{Ll}l)1(?=\p{Ll})/gu, 'l'],
  // Sodium, Total, Blood, Ultrasensitive, in small print.
  [/(?<=\p{L}{3}u)rm$/gu, 'm'],
  [/(?<=^[Tt]ota)i$/g, 'l'],
  [/(?<=^[Bb])i(?=ood$)|(?<=^\(?[Uu])i(?=tra)/g, 'l'],
  // Reported, DOB, SODIO: a word without other digits contains no 0.
  [/(?<=^\(?\p{L}*\p{Ll})0(?=\p{Ll}+[):.,]*$|(?<=\p{Ll}{4}0)[):.,]*$)/gu, 'o'],
  // Osnabrück, but not 0mmol/L.
  [/^0(?=(?![mµunpf]?(?:mol|osm)|mill|mio)\p{Ll}{4,}[.,:;)]*$)/gu, 'O'],
  [/(?<=^\(?\p{Lu}+)0(?=\p{Lu}+[):.,]*$|(?<=\p{Lu}{4}0)[):.,]*$)|(?<=-)0(?=H|ct)/gu, 'O'],
  // Linfocitos, Peticion: the accent of an o makes it look like a 6.
  [/(?<=\p{L}{3})6(?=\p{Ll})/gu, 'ó'],
  [/^(HB|Hb|)A[lI]([cC])(?=[.,]?$)/g, '$1A1$2'],
  [/^\(?CI-?\)?$/g, 'Cl'],
  // pO2, pCO2, TCO2, FIO2, O2Hb: blood gases.
  [/(?<=^(?:[ps]|[ptT]?C|A-?a?D|a-?AD|AaD|(?:pO2\/)?F[iI]))0(?=2$)|^0(?=2Hb$)/g, 'O'],
  // TGP/ALT: two names of one enzyme, separated by a slash.
  [/(?<=(?<!\p{L})(?:TG[OP]|S?G[OP]T|A[SL]T))[Il1|](?=(?:TG[OP]|S?G[OP]T|A[SL]T)(?!\p{L}))/gu, '/'],
  // WBC /HPF, whose slash is read as an I.
  [/^I(?=[HL]PF$)/g, '/'],
  [/(?<=^(?:.*\/)?[HL]P)E$/g, 'F'],
  // A bracket around a range in worn print, and a speck after it.
  [/^\{(?=\d|$)/g, '('],
  [/(?<=\d|^)\}$/g, ')'],
  [/(?<=^[([])[.,'`·]+$/g, ''],
  [/^['`·](?=\p{Lu}[\p{L}\d])/gu, ''],
  // Remains of a dot leader.
  [/^\.{2,}(?=:?$)|^\.(?=:$)|(?<=\p{L}{3})\.{2,}$/gu, ''],
  // A check mark before a name; a greater-than sign read as v.
  [/^[V√](?=\p{Lu}\p{Ll}{3})/gu, ''],
  [/^[vV](?=\d{2,}(?:[.,]\d+)?$)/g, '>'],
  [/^[1lL](?=\.\p{Lu}\.\p{Lu})/gu, 'I'],
  // The alphabet of the recognizer has no letters with a tilde and no ß.
  [/^N(?:ao|AO)$/g, 'Não'],
  [/wei(?:f3?|B|b)$/g, 'weiß'],
  [/(?<=[Ss]tra)[Bb8](?=e[,.]?$)/g, 'ß'],
  [/(?<=[Ee]iwei)n$/g, 'ß'],
  [/^mnnlich(?=[.,;]?$)/g, 'männlich'],
  // Words that no other language has without accents.
  [/^ate$/g, 'até'],
  [/^milh[o0]es(?=\/|$)/g, 'milhões'],
  [/^gr[aä]vidas(?=[:.,]?$)/g, 'grávidas'],
  // Units: IU, UI, mmol, G/l; and an m that is read as rm or rn.
  [/(?<=^|[µumkn])lU(?=\/|$)/g, 'IU'],
  [/(?<=^[µumkn]?U)l(?=\/)/g, 'I'],
  [/(?<=\bmmo)[1iI](?=\/|$)|(?<=\b[µunp]mo)[1iI](?=\/)/g, 'l'],
  [/(?<=^[kK]UA)(?=[lL]$)/g, '/'],
  [/^K(?=UA?\/[lLI1|!]$)/g, 'k'],
  [/^J(?=U\/)/g, 'I'],
  [/(?<=^[mµu]?UI)V(?=d?[lL]$)|(?<=^[mµu](?:UI|IU))(?=[lL]$)/g, '/'],
  [/^u(?=\/L$)/g, 'U'],
  [/^Pg$/g, 'pg'],
  [/^f[lL]\.$/g, 'fL'],
  [/(?<=^(?:[GT](?:pt)?|[mµunpfk]?(?:mol|g|U)|m?IU|10\^(?:9|12))\/)[I1|!i/](?=[-.,]?$)/g, 'l'],
  [/(?<=^[mµu]U)VL$/g, 'I/L'],
  [/^rm(?=mol\/|g\/)|^rn(?=(?:g|mol|[lL]|E[gq]|U|m3?)\/)/g, 'm'],
  [/(?<=^m)Eg(?=\/[lL]$)/g, 'Eq'],
  [/(?<=\/)mi(?=L$)/g, 'm'],
  [/(?<=^(?:[mµunpf]?mol|[mµunpk]?g|m?I?U)\/)t\.?$/g, 'L'],
  [/(?<=\/)(?:µu|uµ)(?=[lL]$)/g, 'µ'],
  [/^gj(?=\/)/g, 'g'],
  // No test uses meters per minute or attoliters, and no unit begins with a speck.
  [/^m(?=\/min(?:\/|$))/g, 'ml'],
  [/(?<=^[mµunpk]?g\/)a(?=L$)/g, 'd'],
  [/(?<=^[mµunpk]?g)[lI1|!]?(?=d[lL]$)|(?<=^[mµunpf]mol)(?=[lL]$)/g, '/'],
  [/(?<=^(?:[mµunpk]?g|mmol)\/d)[I1|!]$/g, 'l'],
  [/^[.,'`](?=(?:[mµunpk]?g|m?U|mmol)\/d?[lL]$)/g, ''],
  [/(?<=^\/[nµp])[!|1I]$/g, 'l'],
  [/^mc[lI](?=U\/)/g, 'mcI'],
  // The base of a power of ten is not a decimal number.
  [/^(x?)1[.,]0(?=[\^³]|⁶)/g, '$110'],
  [/(?<=\/d?[lL])\.$/g, ''],
  [/^(?:%6|%[.,]|[.,]%)$/g, '%'],
  // The alphabet of the recognizer has no superscript three.
  [/\/mm[²'*"]$/g, '/mm³'],
  // The superscript may be lost entirely: cells are counted per volume.
  [/(?<=^(?:milh(?:ões|oes)|10\^[369]|c[ée]lulas|cellules|cells)\/mm)$/g, '³'],
  [/(?<=10\^3\/)(?=[lL]$)|(?<=10\^[36]\/)p(?=[lL]$)/g, 'µ'],
  [/^([µunp]?m)o(?=\/[lL]?$)/g, '$1ol'],
  // A final l is the thinnest letter; after a slash no other letter is lost.
  [/(?<=^(?:[mµunpf]?mol|[GT]|[mµunpfk]?g|m?[kA]?I?U|µ?UI|10\^(?:9|12))\/)$/g, 'l'],
  [/(?<=10[~^][36]\/[µu])$/g, 'L'],
  // Powers of ten, whose caret is lost, misread, or also read after the exponent.
  [/(?<=10\^?(?:3|6|9|12))[%°"']+(?=\/(?:[µu]?[lL]|mm))/g, ''],
  [/^10(?=(?:3|6)\/[µu][lL]$|(?:9|12)\/[lL]$)/g, '10^'],
  [/10[~'"*^-](?=(?:3|6|9|12)\/(?:[µu]?[lL]|mm))/g, '10^'],
  [/(?<=^x10)(?=(?:3|6|9|12)\/(?:[µu]?[lL]|mm))/g, '^'],
  [/10²(?=\/(?:[µu][lL]|mm))/g, '10³'],
  // The decimal point of the body surface area, 1.73.
  [/(?<=\/1)[:;·](?=73)/g, '.'],
];

const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
const NUMBER_WITH_UNIT = new RegExp(String.raw`^([<>]?${NUMBER}(?:-${NUMBER})?)(x?10\^\d{1,2}/\S+|\++)$`);

/** Splits a number or range from the power of ten, or the plus flags, after it; undefined for anything else. */
export function splitNumber(text: string): readonly [string, string] | undefined {
  // 2+ is a grade.
  if (/^[1-4]\+$/.test(text)) return undefined;
  const [, number, unit] = NUMBER_WITH_UNIT.exec(text) ?? [];
  return number === undefined || unit === undefined ? undefined : [number, unit];
}

const TWO_DECIMALS = new RegExp(String.raw`^([(\[]?\d+[.,]\d{1,3})[.·~](\d+[.,]\d{1,3}[)\]]?)$`);

/** Corrects a word to the form of a number; `isSure` is false if the correction is a guess. */
export function correctNumber(text: string): { text: string; isSure: boolean } {
  // Letters that look like digits, around a decimal sign.
  if (/^[<>]?[\dOolI]+[.,][\dOolI]+$/.test(text) && /\d/.test(text) && /[OolI]/.test(text)) {
    return { text: text.replaceAll(/[Oo]/g, '0').replaceAll(/[lI]/g, '1'), isSure: true };
  }
  // A range whose dash was read as a point.
  const [, low, high] = TWO_DECIMALS.exec(text) ?? [];
  if (low !== undefined && high !== undefined) return { text: `${low}-${high}`, isSure: true };
  // A speck after a number that already has a decimal sign.
  if (/\d[.,]\d{1,4}[.,]$/.test(text)) return { text: text.slice(0, -1), isSure: true };
  // A speck before a number that has a decimal sign, or the remains of a digit.
  if (/^[.,'`·]\d+[.,]\d+$/.test(text)) return { text: text.slice(1), isSure: false };
  // A number that ends in a decimal sign: a speck, or lost digits.
  if (/^[<>]?\d+[.,]$/.test(text)) return { text: text.slice(0, -1), isSure: false };
  // A colon before a single digit is neither a time nor a titer. A number has no semicolon. A leading point may be a
  // speck.
  if (/^(?:[2-9]|\d{2,}):\d$/.test(text)) return { text: text.replace(':', '.'), isSure: false };
  // Neither begins with zero: 0:10.
  if (/^0:\d{1,3}$/.test(text)) return { text: text.replace(':', '.'), isSure: false };
  if (/^[<>]?\d+;\d+$/.test(text)) return { text: text.replace(';', ','), isSure: false };
  if (/^[.,]\d+$/.test(text)) return { text, isSure: false };
  return { text, isSure: true };
}

const HOUR = String.raw`(?:[01]\d|2[0-3]):?[0-5]\d(?::[0-5]\d)?`;
const TIMESTAMP = new RegExp(String.raw`^(\d{1,2}([/.-])\d{1,2}\2(?:19|20)\d{2})(${HOUR})$`);

/** Splits a date from the time after it if the blank was lost: 10/06/2025 and 0812. */
export function splitTimestamp(text: string): readonly [string, string] | undefined {
  const [, day, , time] = TIMESTAMP.exec(text) ?? [];
  return day === undefined || time === undefined ? undefined : [day, time];
}
