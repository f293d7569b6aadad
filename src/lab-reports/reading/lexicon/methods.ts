import { bare } from '../plain.ts';
import { namesAnalyte } from './analytes.ts';

const METHOD_WORDS =
  /\b(?:method|metod[oi]|methode|m[ée]thode|technique|t[ée]cnica|tecnica|verfahren|clia|eclia|cmia|elisa|hplc|ifcc|photometr\w*|spectrophotom\w*|colorimetr\w*|kinetic|uv|enzymatic|impedance|calculated|jaffe|biuret|bcg|gpo|god|pap|turbidim\w*|nephelom\w*|immuno\w*|chemilum\w*|ise|flow cytom\w*|microscop\w*|diazo|westergren|flureszenz|enzym\w*|citometr\w*|colorim\w*|automated|electrochem\w*|reflectance|dipstick|lc-?ms\w*|chimilum\w*|enzymatique|turbidim[ée]tr\w*|potentiom\w*|kinetik|cin[ée]t\w*|quimiolum\w*|cytom\w*)\b/i;

export const hasMethodWord = (text: string): boolean => METHOD_WORDS.test(text);

/** Whether the words where a name would be are those of a method. */
export const namesMethod = (text: string): boolean =>
  METHOD_WORDS.test(text) && bare(text).split(' ').length < 9 && !namesAnalyte(text);

const BEGINS_WITH_METHOD = new RegExp(
  String.raw`^\W*(?:(?:dosage|test|par|by|mit|per|por|con)\s+)*${METHOD_WORDS.source}`,
  'i',
);

/** Whether the words are of a method from the first one on: "CDT (HPLC)" and "Calprotectin ELISA" are names. */
export const isOnlyMethod = (text: string): boolean => namesMethod(text) && BEGINS_WITH_METHOD.test(text);
