import { normalizeWords, parsePhrases, memoizeByText } from '../text-normalization.ts';
import type { FlagLevel } from '../report-model.ts';

/** Printed flags by meaning. Compared without accents, brackets and case. */
const SPELLINGS: Readonly<Record<FlagLevel, string>> = {
  high: `H, HI, HIGH, above range, above high normal, above normal, above reference range, above high reference limit,
    out of range high, abnormal high, high abnormal, alto, alta, elevado, elevada, aumentado, eleve, elevee, haut, hoch, erhoht,
    erhoeht, superior, sup, elevato, h flag, raised, increased, above limit, high flag, bh, h a, a h, too high, zu hoch, leicht erhoht`,
  low: `L, LO, LOW, below range, below low normal, below normal, below reference range, below low reference limit,
    out of range low, abnormal low, low abnormal, bajo, baja, disminuido, disminuida, bas, basse, diminue, niedrig, tief, bs,
    erniedrigt, inferior, inf, basso, bassa, baixo, baixa, diminuido, reduced, decreased, bl, l a, a l, too low, zu niedrig, leicht erniedrigt`,
  abnormal: `A, AB, ABN, ABNORMAL, ABNL, anormal, anormale, anormaux, anomalo, anormales, B, E, T, alterado, alterada, patologico,
    pathologisch, auffallig, out of range, outside range, outside reference range, fuera de rango, fuori range, alterato, hors norme,
    positive flag, borderline, anomale`,
  normal: `N, NORMAL, in range, within range, normale, WNL, within normal limits, dentro de rango, unauffallig,
    im normbereich, desirable, optimal, norm, en rango`,
  critical_high: `HH, HC, CH, PH, critical high, high critical, panic high, high panic, H crit, crit high, high crit, H critical, critically high, very high,
    sehr hoch, muy alto, critico alto, tres eleve, H panic, alert high, high alert`,
  critical_low: `LL, LC, CL, PL, critical low, low critical, panic low, low panic, L crit, crit low, low crit, critically low, very low, sehr niedrig,
    muy bajo, critico bajo, tres bas, L panic, alert low, low alert`,
  critical: 'C, CRIT, CRITICAL, PANIC, AA, alert, critico, critique, kritisch, critica, panico, alarm',
};

const BY_SPELLING = new Map<string, FlagLevel>();
for (const [level, list] of Object.entries(SPELLINGS)) {
  for (const phrase of parsePhrases(list)) BY_SPELLING.set(normalizeWords(phrase), level as FlagLevel);
}

/** Arrows, including code points of symbol fonts: Symbol, Wingdings, web icon fonts. */
const UP = String.raw`↑▲⬆⇑⬈△⏶🔺🔼⇧▴▵⭡⮝🠕🠉🡅🡑➚↗⇈\uF0AD\uF0E1\uF0E9\uF0F1\uF062\uF0D8\uF077\uF106\uF148\uF176\uE5D8\uE5C7`;
const DOWN = String.raw`↓▼⬇⇓⬊▽⏷🔻🔽⇩▾▿⭣⮟🠗🠋🡇🡓➘↘⇊\uF0AF\uF0E2\uF0EA\uF0F2\uF063\uF0D7\uF078\uF107\uF149\uF175\uE5DB\uE5C5`;
export const ARROW_SIGNS = UP + DOWN;
const ARROWS_UP = new RegExp(`^[([]?[${UP}]+[)\\]]?$`, 'u');
const ARROWS_DOWN = new RegExp(`^[([]?[${DOWN}]+[)\\]]?$`, 'u');
const ARROW = new RegExp(`[${ARROW_SIGNS}]`, 'gu');
const STARS = /^(?:\*{1,3}|!{1,2}|#|‡|•|⚠\uFE0F?|❗|‼)$/u;
/** Signs around the word of a flag, or in its place. */
const SIGNS = /[*!#()[\]{}.,]+/gu;

/** The meaning of a whole text as a flag; undefined if it is none. */
export const parseFlagLevel = memoizeByText((text: string): FlagLevel | undefined => {
  const tight = text.trim();
  const arrows = tight.match(ARROW)?.length ?? 0;
  if (ARROWS_UP.test(tight)) return arrows > 1 ? 'critical_high' : 'high';
  if (ARROWS_DOWN.test(tight)) return arrows > 1 ? 'critical_low' : 'low';
  if (/^(?:[([]?[+]{1,3}[)\]]?|>{1,2})$/.test(tight)) return 'high';
  if (/^(?:[([]-{1,2}[)\]]|-{1,3}|<{1,2})$/.test(tight)) return 'low';
  if (STARS.test(tight.replaceAll(/[()[\]]/g, ''))) return 'abnormal';
  const withoutArrow = tight.replaceAll(ARROW, ' ');
  if (/[/\d%:]/.test(withoutArrow) && !/^[HLN]\/[HLN]$/.test(tight)) return undefined;
  const known = BY_SPELLING.get(normalizeWords(withoutArrow.replaceAll(SIGNS, ' ')));
  return /^(?!hi$|lo$)(?:[a-z]{1,2}|[A-Z][a-z]|[a-z][A-Z])$/.test(withoutArrow.trim()) &&
    !/^(?:Hi|Lo)$/.test(withoutArrow.trim())
    ? undefined
    : known;
});

/** How many words from `start` on are one flag; 0 for none. */
export function flagLength(words: readonly string[], start: number): number {
  for (let count = Math.min(4, words.length - start); count > 0; count -= 1) {
    const text = words.slice(start, start + count).join(' ');
    // "alto < 70": a comparator at the end continues with its bound.
    if (count > 1 && /^(?:[\])]|[<>≤≥])$/u.test(words[start + count - 1] ?? '')) continue;
    // "+ A": a small amount was found, which is abnormal.
    if (count > 1 && words.slice(start, start + count).some((word) => /^[+]{1,4}$/.test(word))) continue;
    if (!isDirectionSign(text) && parseFlagLevel(text) !== undefined && !isAccented(words, start, count))
      return count;
  }
  return 0;
}

/** "à jeun": a lone accented letter may be an arrow of another font, but before other words it is a word. */
const isAccented = (words: readonly string[], start: number, count: number): boolean =>
  count === 1 &&
  /^[^\p{ASCII}]$/u.test(words[start] ?? '') &&
  /^\p{Ll}$/u.test(words[start] ?? '') &&
  start + 1 < words.length;

/** A value with its flag glued to it: 12.3H, *12.3, ↑12.3, 12.3*, (H)12.3 */
const GLUED = new RegExp(
  String.raw`^(?<before>[*!${ARROW_SIGNS}]+|\([HL]\)|[HL]{1,2}(?=[<>\d]))?(?<value>[<>≤≥]?=?[-+]?\d[\d.,'’]*)(?<after>\s?(?:[*!#${ARROW_SIGNS}]+(?:H{1,2}|L{1,2})?|[([]?(?:H{1,2}|L{1,2}|A|HI|LO|High|Low|C|N)[*!]?[)\]]?))?$`,
  'u',
);

/** A value with a direction sign: 40-, 170++; not 1+ to 4+, which are results themselves. */
export function splitTrailingSign(text: string): [value: string, sign: string] | undefined {
  const [, value, sign] = /^([<>≤≥]?=?\d[\d.,]*)(\+{1,3}|-{1,3})$/u.exec(text) ?? [];
  return value && sign && !/^[1-4]\+/.test(text) ? [value, sign] : undefined;
}

/** Bullets and icons without a known meaning; a symbol font character at the start of a row is one. */
export const isBullet = (text: string, { isFirst }: { isFirst: boolean }): boolean =>
  /^[\uE000-\uF8FF•◦●○■□▪▫✓✔✅☐☑]+$/u.test(text) &&
  (parseFlagLevel(text) === undefined || (isFirst && /^[\uE000-\uF8FF]/u.test(text)));

/** The bullets of list items. */
export const isListBullet = (text: string): boolean => /^[•●◦○■□▪▫‣⁃·–]$/u.test(text);

/** A minus in any form; a flag only where that is possible. */
export const isMinus = (text: string): boolean => /^[-−–]$/u.test(text);

/** A direction sign right after a number; elsewhere it has another meaning. */
export const isDirectionSign = (text: string): boolean => /^(?:-{1,3}|[<>]{1,2})$/.test(text);

export function splitGluedFlag(
  text: string,
): { value: string; flag: string; flagFirst: boolean } | undefined {
  const groups = GLUED.exec(text)?.groups;
  const flag = groups?.['before'] ?? groups?.['after'];
  if (!groups?.['value'] || !flag) return undefined;
  return { value: groups['value'], flag: flag.trim(), flagFirst: groups['before'] !== undefined };
}
