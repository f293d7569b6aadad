import { bare, phrases, remembering } from '../plain.ts';
import type { FlagLevel } from '../word.ts';

/** Flags as they are printed, by what they mean. Compared without accents, brackets and case. */
const SPELLINGS: Readonly<Record<FlagLevel, string>> = {
  high: `H, HI, HIGH, above range, above high normal, above normal, above reference range, above high reference limit,
    out of range high, abnormal high, high abnormal, alto, alta, elevado, elevada, aumentado, eleve, elevee, haut, hoch, erhoht,
    erhoeht, superior, sup, elevato, h flag, raised, increased, above limit, high flag, bh, h a, a h`,
  low: `L, LO, LOW, below range, below low normal, below normal, below reference range, below low reference limit,
    out of range low, abnormal low, low abnormal, bajo, baja, disminuido, disminuida, bas, basse, diminue, niedrig, tief, bs,
    erniedrigt, inferior, inf, basso, bassa, baixo, baixa, diminuido, reduced, decreased, bl, l a, a l`,
  abnormal: `A, AB, ABN, ABNORMAL, ABNL, anormal, anormale, anormaux, anomalo, anormales, B, E, T, alterado, alterada, patologico,
    pathologisch, auffallig, out of range, outside range, outside reference range, fuera de rango, fuori range, alterato, hors norme,
    positive flag, borderline, anomale`,
  normal: `N, NORMAL, in range, within range, normale, WNL, within normal limits, dentro de rango, unauffallig,
    im normbereich, desirable, optimal, norm, en rango`,
  critical_high: `HH, HC, CH, PH, critical high, high critical, panic high, high panic, H crit, H critical, critically high, very high,
    sehr hoch, muy alto, critico alto, tres eleve, H panic, alert high, high alert`,
  critical_low: `LL, LC, CL, PL, critical low, low critical, panic low, low panic, L crit, critically low, very low, sehr niedrig,
    muy bajo, critico bajo, tres bas, L panic, alert low, low alert`,
  critical: 'C, CRIT, CRITICAL, PANIC, AA, alert, critico, critique, kritisch, critica, panico, alarm',
};

const BY_SPELLING = new Map<string, FlagLevel>();
for (const [level, list] of Object.entries(SPELLINGS)) {
  for (const phrase of phrases(list)) BY_SPELLING.set(bare(phrase), level as FlagLevel);
}

const ARROWS_UP = /^[↑▲⬆⇑⬈△⏶🔺\uF0E1]+$/u;
const ARROWS_DOWN = /^[↓▼⬇⇓⬊▽⏷🔻\uF0E2]+$/u;
const STARS = /^(?:\*{1,3}|!{1,2}|#|‡|•)$/u;
/** What may stand around the word of a flag, or in its place. */
const SIGNS = /[*!#()[\]{}.,]+/gu;

/** The meaning of a whole text as a flag; undefined for what is none. */
export const flagLevelOf = remembering((text: string): FlagLevel | undefined => {
  const tight = text.trim();
  if (ARROWS_UP.test(tight)) return tight.length > 1 ? 'critical_high' : 'high';
  if (ARROWS_DOWN.test(tight)) return tight.length > 1 ? 'critical_low' : 'low';
  if (/^[([]?[+]{1,2}[)\]]?$/.test(tight)) return 'high';
  if (/^(?:[([]-[)\]]|-{1,2})$/.test(tight)) return 'low';
  if (STARS.test(tight.replaceAll(/[()]/g, ''))) return 'abnormal';
  const withoutArrow = tight.replaceAll(/[↑▲⬆↓▼⬇]/gu, ' ');
  if (/[/\d%:]/.test(withoutArrow) && !/^[HLN]\/[HLN]$/.test(tight)) return undefined;
  const known = BY_SPELLING.get(bare(withoutArrow.replaceAll(SIGNS, ' ')));
  return /^(?!hi$|lo$)(?:[a-z]{1,2}|[A-Z][a-z]|[a-z][A-Z])$/.test(withoutArrow.trim()) &&
    !/^(?:Hi|Lo)$/.test(withoutArrow.trim())
    ? undefined
    : known;
});

/** How many words from `start` on are one flag; 0 for none. */
export function flagLength(words: readonly string[], start: number): number {
  for (let count = Math.min(4, words.length - start); count > 0; count -= 1) {
    const text = words.slice(start, start + count).join(' ');
    if (!/^-+$/.test(text) && flagLevelOf(text) !== undefined) return count;
  }
  return 0;
}

/** A value with its flag glued to it: 12.3H, *12.3, ↑12.3, 12.3*, (H)12.3 */
const GLUED =
  /^(?<before>[*!↑↓▲▼⬆⬇]+|\([HL]\)|[HL]{1,2}(?=[<>\d]))?(?<value>[<>≤≥]?=?[-+]?\d[\d.,'’]*)(?<after>\s?(?:[*!↑↓▲▼⬆⬇#]+(?:H{1,2}|L{1,2})?|\(?(?:H{1,2}|L{1,2}|A|HI|LO|High|Low|C|N)[*!]?\)?))?$/u;

export function unglue(text: string): { value: string; flag: string; flagFirst: boolean } | undefined {
  const groups = GLUED.exec(text)?.groups;
  const flag = groups?.['before'] ?? groups?.['after'];
  if (!groups?.['value'] || !flag) return undefined;
  return { value: groups['value'], flag: flag.trim(), flagFirst: groups['before'] !== undefined };
}
