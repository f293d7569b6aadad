/** The frame of the pages for patients: brand, languages, style and policy. It knows none of the pages. */
export { withBrand } from './branded-view.ts';
export { languageField, pagePath, redirectTo, renderPage, viewOf, type PageView } from './frame.ts';
export { formatDate, type PageLanguage } from './languages.ts';
export { markup, parseForm, type Markup } from './markup.ts';
export type { StringKey } from './strings/en.ts';
export { recordWrongToken, requireTriesLeft } from './wrong-tokens.ts';
