import type { Config } from '../../platform/config.ts';
import { createOpenAiCompatibleExtractor } from './openai-compatible.ts';
import type { ReportExtractor } from './port.ts';

/** The configured extractor; undefined if none is configured, which is the default. */
export function createReportExtractor(config: Config): ReportExtractor | undefined {
  const { EXTRACTOR_URL: url, EXTRACTOR_API_KEY: apiKey, EXTRACTOR_MODEL: model } = config;
  return url === undefined || model === undefined
    ? undefined
    : createOpenAiCompatibleExtractor({ url, apiKey, model });
}
