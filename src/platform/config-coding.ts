import { z } from 'zod';
import { address } from './config-address.ts';

/** What may be set of the coding of results, and of asking a language model about a report. */
export const codingKeys = {
  LOINC_CSV: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Your own Loinc.csv (free with an account at loinc.org): its laboratory codes beside those that come with the product.',
    ),
  EXTRACTOR_URL: address(
    /^https?:\/\/[^?#]+\/$/,
    'expected an address that ends with a slash, as http://127.0.0.1:11434/v1/',
  )
    .optional()
    .describe(
      'An endpoint that speaks the OpenAI chat completions and is asked about lab reports that were hard to read; the words of the report are sent to it. None without it.',
    ),
  EXTRACTOR_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('The bearer token for EXTRACTOR_URL, where it wants one.'),
  EXTRACTOR_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe('The model to ask there. Needed with EXTRACTOR_URL.'),
};

interface ExtractorKeys {
  readonly EXTRACTOR_URL?: string | undefined;
  readonly EXTRACTOR_MODEL?: string | undefined;
}

export function missingWithExtractor({
  EXTRACTOR_URL: url,
  EXTRACTOR_MODEL: model,
}: ExtractorKeys): string[] {
  if ((url === undefined) === (model === undefined)) return [];
  return url === undefined
    ? ['EXTRACTOR_URL: expected, because EXTRACTOR_MODEL is set']
    : ['EXTRACTOR_MODEL: expected, because EXTRACTOR_URL is set'];
}
