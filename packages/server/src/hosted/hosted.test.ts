import { describe, expect, test } from 'vitest';
import { renderPage, viewOf } from './frame.ts';
import { chooseLanguage, formatDate, LANGUAGES, STRINGS, type PageLanguage } from './languages.ts';
import { markup } from './markup.ts';
import type { StringKey } from './strings/en.ts';

const languages = Object.keys(LANGUAGES) as PageLanguage[];
const keys = Object.keys(STRINGS.en) as StringKey[];
const placeholdersOf = (text: string) => [...text.matchAll(/\{\w*\}/g)].map(([whole]) => whole).toSorted();

/** The same words in both languages. */
const SAME_AS_ENGLISH = new Set(['de booking.status']);

describe.each(languages)('the strings in %s', (language) => {
  const table = STRINGS[language];

  test('are those of English', () => {
    expect(Object.keys(table).toSorted()).toEqual(keys.toSorted());
  });

  test('are not empty, and have no space around them', () => {
    expect(keys.filter((key) => table[key] === '' || table[key].trim() !== table[key])).toEqual([]);
  });

  test('have the placeholders of English', () => {
    for (const key of keys)
      expect([key, placeholdersOf(table[key])]).toEqual([key, placeholdersOf(STRINGS.en[key])]);
  });

  test('are translated', () => {
    const left = keys.filter(
      (key) => table[key] === STRINGS.en[key] && !SAME_AS_ENGLISH.has(`${language} ${key}`),
    );
    expect(left).toEqual(language === 'en' ? keys : []);
  });
});

test.each([
  [undefined, 'de-CH,de;q=0.9,en;q=0.8', 'de'],
  [undefined, 'ja,fr;q=0.4,es;q=0.6', 'es'],
  [undefined, 'ja', 'en'],
  [undefined, 'pt;q=0, fr;q=0.1', 'fr'],
  [undefined, '', 'en'],
  ['pt', 'de', 'pt'],
  ['xx', 'de', 'de'],
  ['toString', undefined, 'en'],
])('with ?lang=%s and the browser language %s, the page is in %s', (chosen, accepted, expected) => {
  expect(chooseLanguage(chosen, { 'accept-language': accepted })).toBe(expected);
});

test('writes times in the language of the page and the zone of the place', () => {
  const at = new Date('2026-03-04T02:30:00Z');
  expect(formatDate('de', 'moment', [at, 'America/Los_Angeles'])).toMatch(/Dienstag, 3\. März 2026 um 18:30/);
  expect(formatDate('en', 'moment', [at, 'America/New_York'])).toMatch(/Tuesday, March 3, 2026 at 9:30\sPM/);
});

describe('a page', () => {
  const view = viewOf({ query: {}, headers: {} });
  const brand = {
    name: '<Clinic>',
    color: '#ffd400',
    textColor: '#111111',
    website: '',
    supportEmail: 'help@clinic.example',
    supportContact: '+1 415 555 0100',
    address: '1 Main Street\nSpringfield',
  };

  test('shows the brand, and where to get help', () => {
    const { text } = renderPage({
      view: { ...view, brand, path: '/x?token=t' },
      title: 'Hi',
      body: markup``,
    });
    expect(text).toContain('--brand: #ffd400; --brand-text: #111111;');
    expect(text).toContain('<b>&lt;Clinic&gt;</b>');
    expect(text).toContain('<a href="mailto:help@clinic.example">');
    expect(text).toContain('href="/x?token=t&amp;lang=de" lang="de"');
  });

  test('shows a logo as data, of known types only', () => {
    const show = (mediaType: string) =>
      renderPage({
        view: { ...view, brand: { ...brand, logo: { mediaType, bytes: Buffer.from('hi') } } },
        title: 'Hi',
        body: markup``,
      }).text;
    expect(show('image/png')).toContain('<img src="data:image/png;base64,aGk=" alt="">');
    expect(show('text/html')).not.toContain('<img');
  });
});
