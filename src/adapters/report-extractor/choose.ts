import type { Config } from '../../platform/config.ts';
import { openAiCompatibleExtractor } from './openai-compatible.ts';
import type { Extractor } from './port.ts';

/** The extractor that the configuration names; undefined, as without configuration, when there is none. */
export function extractorOf(config: Config): Extractor | undefined {
  const { EXTRACTOR_URL: url, EXTRACTOR_API_KEY: apiKey, EXTRACTOR_MODEL: model } = config;
  return url === undefined || model === undefined
    ? undefined
    : openAiCompatibleExtractor({ url, apiKey, model });
}
