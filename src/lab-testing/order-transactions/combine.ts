import type { z } from 'zod';
import type { ResultView } from '../results/schema.ts';
import type { CombinedView } from './schema.ts';

type Result = z.input<typeof ResultView>;

/** The results of one order of a transaction. */
export interface Part {
  readonly orderId: string;
  readonly result: Result;
}

type Coded = Pick<Result['results'][number], 'loinc' | 'provider_id' | 'slug'>;

/** What makes two values be of one thing: the LOINC; where there is none, the laboratory's code. */
const keyOf = ({ loinc, provider_id, slug }: Coded): string =>
  loinc === null ? (provider_id === null ? `slug ${slug}` : `code ${provider_id}`) : `loinc ${loinc}`;

/**
 * One result out of the newest of several orders, oldest first: of each thing the value of the last order that has one.
 * A later order has the newer specimen; that an older one is corrected afterwards does not make it newer. Missing is
 * what no order has a value of.
 */
export function combine(
  parts: readonly [Part, ...Part[]],
  { isActive }: { isActive: boolean },
): CombinedView {
  const results = newest(parts, (result) => result.results);
  const missing = newest(parts, (result) => result.missing_results ?? []);
  for (const key of results.keys()) missing.delete(key);
  const values = [...results.values()].flat();
  const last = parts.at(-1) ?? parts[0];
  return {
    metadata: {
      ...last.result.metadata,
      status: statusOf(parts, isActive),
      interpretation: worst(values),
    },
    results: values,
    missing_results: [...missing.values()].flat(),
    sample_information: samplesOf(parts),
    order_transaction: last.result.order_transaction,
  };
}

type From<T> = T & { source_order_id: string };

/**
 * What the last order that told of a thing said of it, be it twice. In the order in which the things were first told
 * of, so that a redraw fills in and does not reshuffle.
 */
function newest<T extends Coded>(
  parts: readonly Part[],
  told: (result: Result) => readonly T[],
): Map<string, From<T>[]> {
  const values = new Map<string, From<T>[]>();
  for (const { orderId, result } of parts) {
    const here = new Map<string, From<T>[]>();
    for (const each of told(result)) {
      here.set(keyOf(each), [...(here.get(keyOf(each)) ?? []), { ...each, source_order_id: orderId }]);
    }
    for (const [key, each] of here) values.set(key, each);
  }
  return values;
}

/** More may come while an order is under way. */
function statusOf(parts: readonly Part[], isActive: boolean): string {
  if (isActive) return 'partial';
  return parts.some(({ result }) => result.metadata.status === 'corrected') ? 'corrected' : 'final';
}

const SEVERITY = ['critical', 'abnormal', 'normal'] as const;

const worst = (results: readonly { interpretation: string }[]): string =>
  SEVERITY.find((level) => results.some(({ interpretation }) => interpretation === level)) ?? 'unknown';

function samplesOf(parts: readonly Part[]): Result['sample_information'] {
  const samples = Object.assign({}, ...parts.map(({ result }) => result.sample_information ?? {}));
  return Object.keys(samples).length > 0 ? samples : null;
}
