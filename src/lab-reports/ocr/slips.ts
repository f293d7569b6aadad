/**
 * What recognisers typically misread in a word, and what it was, where the form of the word leaves no doubt. Each is
 * replaced wherever it stands.
 */
export const SLIPS: readonly (readonly [RegExp, string])[] = [
  // Iron, Insulin, IgG: no word begins with a small l before such a letter.
  [/^(\(?)l(?=[bcdfghjkmnpqrstvwxz]\p{Ll}{2}|g[AEGM]\b)/gu, '$1I'],
  // S-IgG, behind the letter of the specimen.
  [/(?<=^\p{Lu}{1,2}-)l(?=g[AEGM]\b)/gu, 'I'],
  // Albumin, (Ultrasensitive): no capital I inside a word.
  [/(?<=\p{L})I(?=\p{Ll})/gu, 'l'],
  // Collected, in a typewriter's face; not HbA1c.
  [/(?<=\p{Ll})1(?=1?\p{Ll})/gu, 'l'],
  [/(?<=\p{Ll}l)1(?=\p{Ll})/gu, 'l'],
  // Sodium, Total, Blood, Ultrasensitive, of which small print keeps little.
  [/(?<=\p{L}{3}u)rm$/gu, 'm'],
  [/(?<=^[Tt]ota)i$/g, 'l'],
  [/(?<=^[Bb])i(?=ood$)|(?<=^\(?[Uu])i(?=tra)/g, 'l'],
  // Reported, DOB, SODIO: no digit 0 in a word that has no other digits.
  [/(?<=^\(?\p{L}*\p{Ll})0(?=\p{Ll}+[):.,]*$|(?<=\p{Ll}{4}0)[):.,]*$)/gu, 'o'],
  // Osnabrück, but not 0mmol/L.
  [/^0(?=(?![mµunpf]?(?:mol|osm)|mill|mio)\p{Ll}{4,}[.,:;)]*$)/gu, 'O'],
  [/(?<=^\(?\p{Lu}+)0(?=\p{Lu}+[):.,]*$|(?<=\p{Lu}{4}0)[):.,]*$)|(?<=-)0(?=H|ct)/gu, 'O'],
  // Linfocitos, Peticion: the accent of an o makes it look like a 6.
  [/(?<=\p{L}{3})6(?=\p{Ll})/gu, 'ó'],
  [/^(HB|Hb|)A[lI]([cC])(?=[.,]?$)/g, '$1A1$2'],
  [/^\(?CI-?\)?$/g, 'Cl'],
  // pO2, pCO2, TCO2, FIO2, O2Hb: gases of the blood.
  [/(?<=^(?:[ps]|[ptT]?C|A-?a?D|a-?AD|AaD|(?:pO2\/)?F[iI]))0(?=2$)|^0(?=2Hb$)/g, 'O'],
  // TGP/ALT: two names of one enzyme, and the stroke between them.
  [/(?<=(?<!\p{L})(?:TG[OP]|S?G[OP]T|A[SL]T))[Il1|](?=(?:TG[OP]|S?G[OP]T|A[SL]T)(?!\p{L}))/gu, '/'],
  // WBC /HPF, whose stroke is read as an I.
  [/^I(?=[HL]PF$)/g, '/'],
  [/(?<=^(?:.*\/)?[HL]P)E$/g, 'F'],
  // A bracket about a range in worn print; and a speck behind it.
  [/^\{(?=\d|$)/g, '('],
  [/(?<=\d|^)\}$/g, ')'],
  [/(?<=^[([])[.,'`·]+$/g, ''],
  [/^['`·](?=\p{Lu}[\p{L}\d])/gu, ''],
  // What is left of a row of dots that leads to a value.
  [/^\.{2,}(?=:?$)|^\.(?=:$)|(?<=\p{L}{3})\.{2,}$/gu, ''],
  // A tick before a name; and what opens to the left.
  [/^[V√](?=\p{Lu}\p{Ll}{3})/gu, ''],
  [/^[vV](?=\d{2,}(?:[.,]\d+)?$)/g, '>'],
  [/^[1lL](?=\.\p{Lu}\.\p{Lu})/gu, 'I'],
  // The recogniser knows no letters with a tilde, and no sharp s.
  [/^N(?:ao|AO)$/g, 'Não'],
  [/wei(?:f3?|B|b)$/g, 'weiß'],
  [/(?<=[Ss]tra)[Bb8](?=e[,.]?$)/g, 'ß'],
  [/(?<=[Ee]iwei)n$/g, 'ß'],
  [/^mnnlich(?=[.,;]?$)/g, 'männlich'],
  // No other language has these words without their accents.
  [/^ate$/g, 'até'],
  [/^milh[o0]es(?=\/|$)/g, 'milhões'],
  [/^gr[aä]vidas(?=[:.,]?$)/g, 'grávidas'],
  // Units: IU, UI, mmol, G/l; and the m that is read with an r before it.
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
  // Nothing is measured in metres a minute, or for each attolitre, and no unit begins with a speck.
  [/^m(?=\/min(?:\/|$))/g, 'ml'],
  [/(?<=^[mµunpk]?g\/)a(?=L$)/g, 'd'],
  [/(?<=^[mµunpk]?g)[lI1|!]?(?=d[lL]$)|(?<=^[mµunpf]mol)(?=[lL]$)/g, '/'],
  [/(?<=^(?:[mµunpk]?g|mmol)\/d)[I1|!]$/g, 'l'],
  [/^[.,'`](?=(?:[mµunpk]?g|m?U|mmol)\/d?[lL]$)/g, ''],
  [/(?<=^\/[nµp])[!|1I]$/g, 'l'],
  [/^mc[lI](?=U\/)/g, 'mcI'],
  // A power of ten is no decimal number.
  [/^(x?)1[.,]0(?=[\^³]|⁶)/g, '$110'],
  [/(?<=\/d?[lL])\.$/g, ''],
  [/^(?:%6|%[.,]|[.,]%)$/g, '%'],
  // The alphabet of the recogniser has no raised three, and nothing counts thousands in a litre.
  [/\/mm[²'*"]$/g, '/mm³'],
  // Of which nothing at all may be left: what is counted is counted in a volume.
  [/(?<=^(?:milh(?:ões|oes)|10\^[369]|c[ée]lulas|cellules|cells)\/mm)$/g, '³'],
  [/(?<=10\^3\/)(?=[lL]$)|(?<=10\^[36]\/)p(?=[lL]$)/g, 'µ'],
  [/^([µunp]?m)o(?=\/[lL]?$)/g, '$1ol'],
  // A small l at the end is the thinnest of letters, and after a stroke nothing else is lost.
  [/(?<=^(?:[mµunpf]?mol|[GT]|[mµunpfk]?g|m?[kA]?I?U|µ?UI|10\^(?:9|12))\/)$/g, 'l'],
  [/(?<=10[~^][36]\/[µu])$/g, 'L'],
  // Powers of ten, whose mark is lost or read as something like it, or read behind the three as well.
  [/(?<=10\^?(?:3|6|9|12))[%°"']+(?=\/(?:[µu]?[lL]|mm))/g, ''],
  [/^10(?=(?:3|6)\/[µu][lL]$|(?:9|12)\/[lL]$)/g, '10^'],
  [/10[~'"*^-](?=(?:3|6|9|12)\/(?:[µu]?[lL]|mm))/g, '10^'],
  [/(?<=^x10)(?=(?:3|6|9|12)\/(?:[µu]?[lL]|mm))/g, '^'],
  [/10²(?=\/(?:[µu][lL]|mm))/g, '10³'],
  // The point in the surface of a body.
  [/(?<=\/1)[:;·](?=73)/g, '.'],
];

const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
const GLUED = new RegExp(String.raw`^([<>]?${NUMBER}(?:-${NUMBER})?)(x?10\^\d{1,2}/\S+|\++)$`);

/** A number or range and the power of ten, or the mark of what is too high, that follows it without a blank; undefined for anything else. */
export function partsOfNumber(text: string): readonly [string, string] | undefined {
  // 2+ is how much there is of something.
  if (/^[1-4]\+$/.test(text)) return undefined;
  const [, number, unit] = GLUED.exec(text) ?? [];
  return number === undefined || unit === undefined ? undefined : [number, unit];
}

const TWO_DECIMALS = new RegExp(String.raw`^([(\[]?\d+[.,]\d{1,3})[.·~](\d+[.,]\d{1,3}[)\]]?)$`);

/** A word as the form of numbers wants it, and whether nothing in it contradicts that form. */
export function numberRead(text: string): { text: string; isSure: boolean } {
  // A letter that looks like a digit, about a decimal sign.
  if (/^[<>]?[\dOolI]+[.,][\dOolI]+$/.test(text) && /\d/.test(text) && /[OolI]/.test(text)) {
    return { text: text.replaceAll(/[Oo]/g, '0').replaceAll(/[lI]/g, '1'), isSure: true };
  }
  // Two numbers of one range, and the dash between them.
  const [, low, high] = TWO_DECIMALS.exec(text) ?? [];
  if (low !== undefined && high !== undefined) return { text: `${low}-${high}`, isSure: true };
  // A speck behind a number that has its decimal sign already.
  if (/\d[.,]\d{1,4}[.,]$/.test(text)) return { text: text.slice(0, -1), isSure: true };
  // A speck before one that has its decimal sign: or what is left of a digit.
  if (/^[.,'`·]\d+[.,]\d+$/.test(text)) return { text: text.slice(1), isSure: false };
  // A number that ends in its decimal sign: a speck behind it, or digits that were lost.
  if (/^[<>]?\d+[.,]$/.test(text)) return { text: text.slice(0, -1), isSure: false };
  // A colon with one digit behind it is no time and no titer, a semicolon is nothing in a number; a point without a digit before it may be a speck.
  if (/^(?:[2-9]|\d{2,}):\d$/.test(text)) return { text: text.replace(':', '.'), isSure: false };
  // Neither begins with nought: 0:10.
  if (/^0:\d{1,3}$/.test(text)) return { text: text.replace(':', '.'), isSure: false };
  if (/^[<>]?\d+;\d+$/.test(text)) return { text: text.replace(';', ','), isSure: false };
  if (/^[.,]\d+$/.test(text)) return { text, isSure: false };
  return { text, isSure: true };
}

const HOUR = String.raw`(?:[01]\d|2[0-3]):?[0-5]\d(?::[0-5]\d)?`;
const MOMENT = new RegExp(String.raw`^(\d{1,2}([/.-])\d{1,2}\2(?:19|20)\d{2})(${HOUR})$`);

/** 10/06/2025 and 0812, between which the blank was lost. */
export function partsOfMoment(text: string): readonly [string, string] | undefined {
  const [, day, , time] = MOMENT.exec(text) ?? [];
  return day === undefined || time === undefined ? undefined : [day, time];
}
