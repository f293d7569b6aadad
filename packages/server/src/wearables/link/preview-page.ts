import { KNOWN_PROVIDERS } from '../../readings/readings.ts';
import { choosePage } from './pages.ts';

const SAMPLE_PROVIDERS = 3;

/** The page on which a user chooses a provider, for a preview of the brand. Its form leads nowhere. */
export const previewLinkPage = (brand: { readonly name: string }): string =>
  String(
    choosePage({
      word: '',
      choices: KNOWN_PROVIDERS.slice(0, SAMPLE_PROVIDERS),
      demos: [],
      who: brand.name === '' ? 'your company' : brand.name,
      closeUrl: null,
    }).text,
  );
