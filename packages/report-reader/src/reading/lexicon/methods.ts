import { normalizeWords } from '../text-normalization.ts';
import { hasAnalyteWord } from './analytes.ts';

const METHOD_WORDS =
  /\b(?:method|metod[oi]|methode|m[ée]thode|technique|t[ée]cnica|tecnica|verfahren|clia|eclia|cmia|elisa|hplc|ifcc|photometr\w*|spectrophotom\w*|colorimetr\w*|kinetic|uv|enzymatic|impedance|calculated|jaffe|biuret|bcg|gpo|god|pap|turbidim\w*|nephelom\w*|immuno\w*|chemilum\w*|ise|flow cytom\w*|microscop\w*|diazo|westergren|flureszenz|enzym\w*|citometr\w*|colorim\w*|automated|electrochem\w*|reflectance|dipstick|lc-?ms\w*|chimilum\w*|enzymatique|turbidim[ée]tr\w*|potentiom\w*|kinetik|cin[ée]t\w*|quimiolum\w*|cytom\w*)\b/i;

export const hasMethodWord = (text: string): boolean => METHOD_WORDS.test(text);

/** Whether the text in the place of a name is a method. */
export const isMethodName = (text: string): boolean =>
  METHOD_WORDS.test(text) && normalizeWords(text).split(' ').length < 9 && !hasAnalyteWord(text);

const BEGINS_WITH_METHOD = new RegExp(
  String.raw`^\W*(?:(?:dosage|test|par|by|mit|per|por|con)\s+)*${METHOD_WORDS.source}`,
  'i',
);

/** Whether the text is a method from its first word on: "CDT (HPLC)" and "Calprotectin ELISA" are names. */
export const isOnlyMethod = (text: string): boolean => isMethodName(text) && BEGINS_WITH_METHOD.test(text);
