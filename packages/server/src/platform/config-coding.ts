import { z } from 'zod';
import { reachableUrl } from './config-url.ts';

/** Settings for coding results and for the language model that reads difficult reports. */
export const codingSettings = {
  LOINC_CSV: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of your own Loinc.csv (free with an account at loinc.org), to add its laboratory codes to the bundled ones.',
    ),
  EXTRACTOR_URL: reachableUrl(
    /^https?:\/\/[^?#]+\/$/,
    'expected a URL that ends with a slash, such as http://127.0.0.1:11434/v1/',
  )
    .optional()
    .describe(
      'Base URL of an OpenAI-compatible chat completions API, used for lab reports that are hard to read. The text of the report is sent to it. Not used when unset.',
    ),
  EXTRACTOR_API_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('Bearer token for EXTRACTOR_URL, if it needs one.'),
  EXTRACTOR_MODEL: z.string().min(1).optional().describe('Model to use. Required with EXTRACTOR_URL.'),
};

interface ExtractorSettings {
  readonly EXTRACTOR_URL?: string | undefined;
  readonly EXTRACTOR_MODEL?: string | undefined;
}

export function findExtractorErrors({
  EXTRACTOR_URL: url,
  EXTRACTOR_MODEL: model,
}: ExtractorSettings): string[] {
  if ((url === undefined) === (model === undefined)) return [];
  return url === undefined
    ? ['EXTRACTOR_URL: expected, because EXTRACTOR_MODEL is set']
    : ['EXTRACTOR_MODEL: expected, because EXTRACTOR_URL is set'];
}
