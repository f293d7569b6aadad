import type { RequestHeaders } from '../platform/http/serve-open.ts';
import { de } from './strings/de.ts';
import { en, type StringKey, type StringTable } from './strings/en.ts';
import { es } from './strings/es.ts';
import { fr } from './strings/fr.ts';
import { pt } from './strings/pt.ts';

/** The languages of the hosted pages, by their own names. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
} as const;
export type PageLanguage = keyof typeof LANGUAGES;

/** Every text of the hosted pages in every language. A missing key does not compile. */
export const STRINGS: Readonly<Record<PageLanguage, StringTable>> = { en, de, fr, es, pt };

const isLanguage = (text: string): text is PageLanguage => Object.hasOwn(LANGUAGES, text);

/** The language that was chosen on a page, else the browser's most preferred one that we have, else English. */
export function chooseLanguage(chosen: string | undefined, headers: RequestHeaders): PageLanguage {
  if (chosen !== undefined && isLanguage(chosen)) return chosen;
  const preferred = String(headers['accept-language'] ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const weight = Number(
        parameters
          .find((one) => one.trim().startsWith('q='))
          ?.trim()
          .slice(2) ?? 1,
      );
      return { name: tag.slice(0, 2).toLowerCase(), weight: Number.isFinite(weight) ? weight : 0 };
    })
    .toSorted((a, b) => b.weight - a.weight);
  const found = preferred.find(({ name, weight }) => weight > 0 && isLanguage(name))?.name;
  return found !== undefined && isLanguage(found) ? found : 'en';
}

type PlaceholderOf<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never;
type PlaceholdersOf<Key extends StringKey> = PlaceholderOf<(typeof en)[Key]>;
type ValuesOf<Key extends StringKey> = [PlaceholdersOf<Key>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceholdersOf<Key>, string>>];

/** Translates a key. Keys with placeholders do not compile without their values. */
export type Translate = <Key extends StringKey>(key: Key, ...values: ValuesOf<Key>) => string;

export const translator =
  (language: PageLanguage): Translate =>
  (key, ...[values]) =>
    STRINGS[language][key].replaceAll(
      /\{(\w+)\}/g,
      (whole, name: string) => (values as Record<string, string> | undefined)?.[name] ?? whole,
    );

/** The forms of dates. All are written in the language of the page and the time zone of a place. */
const FORMATS = {
  weekday: { weekday: 'short' },
  day: { day: 'numeric', month: 'short' },
  date: { dateStyle: 'full' },
  shortDate: { dateStyle: 'medium' },
  time: { hour: 'numeric', minute: '2-digit' },
  moment: { dateStyle: 'full', timeStyle: 'short' },
  zone: { timeZoneName: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** American English, because the service is for patients in the United States. */
const localeOf = (language: PageLanguage): string => (language === 'en' ? 'en-US' : language);

type DateFormat = keyof typeof FORMATS;

export function formatDate(
  language: PageLanguage,
  format: DateFormat,
  [at, timeZone]: [Date, string],
): string {
  const formatter = new Intl.DateTimeFormat(localeOf(language), { ...FORMATS[format], timeZone });
  if (format !== 'zone') return formatter.format(at);
  return formatter.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}
