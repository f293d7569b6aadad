import type { ReportedResult } from '../../adapters/lab-network/port.ts';
import { isStrictSerialization, serializerOf } from '../../platform/http/serializer.ts';
import { memoizeByText } from '../../platform/memoize.ts';
import type { Order } from '../../ordering/orders/orders.ts';
import { BiomarkerMeasurement, viewBiomarkerMeasurement } from './biomarker-result.ts';
import type { StoredReport } from './stored-report.ts';

/**
 * Serializes the measurements of a report's results as JSON members, without the braces. Hand-written, because it takes
 * a third of the time of the general serializer. In strict mode, as in tests, throws where the two differ.
 */
export function createMeasurementSerializer(
  order: Order,
  report: StoredReport,
): (result: ReportedResult) => string {
  // A report has only one or two different timestamps, laboratories and samples.
  const texts = new Map<string, string>();
  const once = (text: string | null): string => {
    if (text === null) return 'null';
    const known = texts.get(text) ?? JSON.stringify(text);
    texts.set(text, known);
    return known;
  };
  return (result) => {
    const found = viewBiomarkerMeasurement(order, report, result);
    // prettier-ignore
    const text = `"value":${serializeNumber(found.value)},"result":${JSON.stringify(found.result)},"type":"${found.type}",` +
      `"unit":${serializeText(found.unit)},"timestamp":${once(found.timestamp)},"notes":${JSON.stringify(found.notes)},` +
      `"reference_range":${serializeText(found.reference_range)},"min_range_value":${serializeNumber(found.min_range_value)},` +
      `"max_range_value":${serializeNumber(found.max_range_value)},"is_above_max_range":${found.is_above_max_range},` +
      `"is_below_min_range":${found.is_below_min_range},"interpretation":${serializeText(found.interpretation)},` +
      `"source_interpretation":${serializeText(found.source_interpretation)},` +
      `"performing_laboratory":${once(found.performing_laboratory)},"source_sample_id":${once(found.source_sample_id)}` +
      (found.microbiology ? `,"microbiology":${JSON.stringify(found.microbiology)}` : '');
    if (isStrictSerialization()) assertSameAsGeneralSerializer(found, text);
    return text;
  };
}

function assertSameAsGeneralSerializer(found: unknown, text: string): void {
  const general = serializerOf(BiomarkerMeasurement)(found);
  if (general !== `{${text}}`)
    throw new Error(`The measurement serializer wrote ${text}, the general serializer ${general}`);
}

/** JSON has no NaN or Infinity. */
const serializeNumber = (value: number | null): string =>
  value !== null && Number.isFinite(value) ? `${value}` : 'null';

/** Units, ranges and flags repeat across thousands of results and identify no patient, so they are cached. */
const serializeCached = memoizeByText((text) => JSON.stringify(text));
const serializeText = (text: string | null): string => (text === null ? 'null' : serializeCached(text));
