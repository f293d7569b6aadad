/** What East Asian signs stand for that a recogniser puts where Latin print was meant. */
const PLAIN: Readonly<Record<string, string>> = {
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

/** The same in the signs that a Latin keyboard has. */
export function plainSigns(text: string): string {
  return text
    .replaceAll(FULL_WIDTH, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - 0xfee0))
    .replaceAll(/./gu, (sign) => PLAIN[sign] ?? sign)
    .replaceAll(/(?<=\d)[·•](?=\d)/gu, '.');
}

const FOREIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Cyrillic}]/u;

/** Whether a line is in a script that is not ours: so many of its signs are that it is no slip. */
export function isForeign(signs: readonly string[]): boolean {
  const foreign = signs.filter((sign) => FOREIGN.test(sign)).length;
  return foreign >= 2 && foreign > 0.3 * signs.length;
}

/** Signs that lab reports in Latin script are printed with. */
const PRINTED = /^[\p{Script=Latin}\d !-/:-@[-`{-~°²±×÷≤≥≈μαβ→↑↓▲▼•·‰★＊％＜＞（）：；，－＋／．]$/u;

const known = new WeakMap<readonly string[], Uint8Array>();

/** For each class of a recogniser whether it is Latin print. */
export function latinOnly(signs: readonly string[]): Uint8Array {
  const found = known.get(signs) ?? Uint8Array.from(signs, (sign) => Number(PRINTED.test(sign)));
  known.set(signs, found);
  return found;
}
