/** Latin equivalents of East Asian and typographic signs that the recognizer outputs for Latin print. */
const LATIN_EQUIVALENTS: Readonly<Record<string, string>> = {
  '、': ',',
  '。': '.',
  '【': '[',
  '】': ']',
  '〔': '[',
  '〕': ']',
  '〈': '<',
  '〉': '>',
  '《': '<',
  '》': '>',
  '∶': ':',
  '‘': "'",
  '’': "'",
  '′': "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '″': '"',
  '—': '-',
  '─': '-',
  '∣': '|',
  '│': '|',
  '℃': '°C',
  '㎡': 'm²',
  '㎏': 'kg',
  Ⅱ: 'II',
  Ⅲ: 'III',
  Ⅳ: 'IV',
  μ: 'µ',
  '￥': 'Y',
  〇: '0',
  '　': ' ',
};

const FULL_WIDTH = /[！-～]/gu;

/** Converts a text to the signs of a Latin keyboard. */
export function toLatinSigns(text: string): string {
  return text
    .replaceAll(FULL_WIDTH, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0xfee0))
    .replaceAll(/./gu, (sign) => LATIN_EQUIVALENTS[sign] ?? sign)
    .replaceAll(/(?<=\d)[·•](?=\d)/gu, '.');
}

const FOREIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]/u;

/** Whether a line is in a non-Latin script: enough of its signs are foreign to rule out single misreadings. */
export function isForeignScript(signs: readonly string[]): boolean {
  const foreign = signs.filter((sign) => FOREIGN.test(sign)).length;
  return foreign >= 2 && foreign > 0.3 * signs.length;
}

/** Signs that occur in lab reports in Latin script. */
const PRINTED = /^[\p{Script=Latin}\d !-/:-@[-`{-~°²±×÷≤≥≈μαβ→↑↓▲▼•·‰★＊％＜＞（）：；，－＋／．]$/u;

const maskCache = new WeakMap<readonly string[], Uint8Array>();

/** A mask over the recognizer classes: 1 for signs of Latin print. Cached per alphabet. */
export function latinClassMask(signs: readonly string[]): Uint8Array {
  const found = maskCache.get(signs) ?? Uint8Array.from(signs, (sign) => Number(PRINTED.test(sign)));
  maskCache.set(signs, found);
  return found;
}
