import type { ReportedResult } from '../../adapters/lab-network/port.ts';
import { isStrict, serializerOf } from '../../platform/http/serializer.ts';
import { remembered } from '../../platform/remembered.ts';
import type { Order } from '../orders/orders.ts';
import { FoundResult, viewFound } from './biomarker-result.ts';
import type { StoredReport } from './stored-report.ts';

/**
 * Prints what was found of a report's results, without the braces: by hand, which takes a third of the time of the
 * general serializer. Where the process is strict, as in tests, the two have to agree.
 */
export function foundPrinter(order: Order, report: StoredReport): (result: ReportedResult) => string {
  // One or two of each in a report.
  const texts = new Map<string, string>();
  const once = (text: string | null): string => {
    if (text === null) return 'null';
    const known = texts.get(text) ?? JSON.stringify(text);
    texts.set(text, known);
    return known;
  };
  return (result) => {
    const found = viewFound(order, report, result);
    // prettier-ignore
    const text = `"value":${numeric(found.value)},"result":${JSON.stringify(found.result)},"type":"${found.type}",` +
      `"unit":${quoted(found.unit)},"timestamp":${once(found.timestamp)},"notes":${JSON.stringify(found.notes)},` +
      `"reference_range":${quoted(found.reference_range)},"min_range_value":${numeric(found.min_range_value)},` +
      `"max_range_value":${numeric(found.max_range_value)},"is_above_max_range":${found.is_above_max_range},` +
      `"is_below_min_range":${found.is_below_min_range},"interpretation":${quoted(found.interpretation)},` +
      `"source_interpretation":${quoted(found.source_interpretation)},` +
      `"performing_laboratory":${once(found.performing_laboratory)},"source_sample_id":${once(found.source_sample_id)}`;
    if (isStrict()) agree(found, text);
    return text;
  };
}

function agree(found: unknown, text: string): void {
  const general = serializerOf(FoundResult)(found);
  if (general !== `{${text}}`)
    throw new Error(`The printer says ${text} where the serializer says ${general}`);
}

/** JSON knows no other numbers. */
const numeric = (value: number | null): string =>
  value !== null && Number.isFinite(value) ? `${value}` : 'null';

/** Units, ranges and words are those of thousands of results, and say nothing of anybody. */
const known = remembered((text) => JSON.stringify(text));
const quoted = (text: string | null): string => (text === null ? 'null' : known(text));
