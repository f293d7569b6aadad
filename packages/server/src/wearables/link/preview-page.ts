import type { App } from '../../app.ts';
import { viewOf, type PageView } from '../../hosted/hosted.ts';
import { KNOWN_PROVIDERS } from '../../readings/readings.ts';
import { choosePage } from './pages.ts';

const SAMPLE_PROVIDERS = 3;

/** The page on which a user chooses a provider, in English, for a preview of the brand. Its form leads nowhere. */
export function previewLinkPage(app: App, brand: NonNullable<PageView['brand']>): string {
  const view = { ...viewOf({ query: {}, headers: {} }, 'en'), brand };
  const choices = KNOWN_PROVIDERS.slice(0, SAMPLE_PROVIDERS);
  return String(choosePage({ app, view, word: '' }, { choices, demos: [], closeUrl: null }).text);
}
