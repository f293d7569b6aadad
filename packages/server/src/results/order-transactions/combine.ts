import type { z } from 'zod';
import { worstInterpretation } from '../results/results.ts';
import type { ResultView } from '../results/schema.ts';
import type { CombinedView } from './schema.ts';

type OrderResultView = z.input<typeof ResultView>;

/** The results of one order in a transaction. */
export interface TransactionPart {
  readonly orderId: string;
  readonly result: OrderResultView;
}

type CodedResult = Pick<OrderResultView['results'][number], 'loinc' | 'provider_id' | 'slug'>;

/**
 * Whether two results measure the same analyte: by LOINC if both have one, else by the code of the same laboratory if
 * both have one, else by name. Laboratory codes are not comparable between laboratories.
 */
function isSameAnalyte(one: LabCodedResult, other: LabCodedResult): boolean {
  if (one.loinc !== null && other.loinc !== null) return one.loinc === other.loinc;
  if (one.provider_id !== null && other.provider_id !== null)
    return one.provider_id === other.provider_id && one.laboratory === other.laboratory;
  return one.slug === other.slug;
}

interface LabCodedResult extends CodedResult {
  readonly laboratory: string | null;
}

/**
 * Combines the results of several orders, given oldest first: for each analyte, the value of the last order that has
 * one. A later order has the newer specimen, even if the results of an older one are corrected afterwards. An analyte
 * is missing only if no order has a value for it.
 */
export function combineResults(
  parts: readonly [TransactionPart, ...TransactionPart[]],
  { isActive }: { isActive: boolean },
): CombinedView {
  const { analytes, values } = selectNewest(parts, (result) => result.results);
  const missing = selectNewest(parts, (result) => result.missing_results ?? []).analytes.filter(
    ({ latest }) => !analytes.some((thing) => isSameAnalyte(thing.latest, latest)),
  );
  const last = parts.at(-1) ?? parts[0];
  return {
    metadata: {
      ...last.result.metadata,
      status: statusOf(parts, isActive),
      interpretation: worstInterpretation(values.map(({ interpretation }) => interpretation)),
    },
    results: values,
    missing_results: missing.flatMap((one) => one.values),
    sample_information: samplesOf(parts),
    order_transaction: last.result.order_transaction,
  };
}

type WithSourceOrder<T> = T & { source_order_id: string };

/** The values of one analyte in the last order that has it. Several if it is in two panels, or for two isolates. */
interface AnalyteValues<T> {
  latest: LabCodedResult;
  values: WithSourceOrder<T>[];
  /** Index of the first and of the last order that has the analyte. */
  readonly first: number;
  last: number;
}

interface NewestValues<T> {
  readonly analytes: readonly AnalyteValues<T>[];
  readonly values: WithSourceOrder<T>[];
}

/**
 * For each analyte, the values of the last order that has it. Sorted by first appearance, so that a redraw fills gaps
 * without reordering. Analytes with several values keep the position from their own order, since a tested drug belongs
 * to the isolate that it is reported under.
 */
function selectNewest<T extends CodedResult>(
  parts: readonly TransactionPart[],
  toldBy: (result: OrderResultView) => readonly T[],
): NewestValues<T> {
  const things: AnalyteValues<T>[] = [];
  const rows = parts.flatMap(({ orderId, result }, part) =>
    toldBy(result).map((each) => {
      const told = { ...each, laboratory: result.metadata.laboratory };
      const value = { ...each, source_order_id: orderId };
      const known = things.find((before) => isSameAnalyte(before.latest, told));
      const thing = known ?? { latest: told, values: [], first: part, last: part };
      if (!known) things.push(thing);
      if (thing.last !== part) Object.assign(thing, { told, values: [], last: part });
      thing.values.push(value);
      return { thing, part, value };
    }),
  );
  const placed = new Set<AnalyteValues<T>>();
  const values = rows.flatMap(({ thing, part, value }) => {
    if (thing.first === thing.last || thing.values.length > 1) return part === thing.last ? [value] : [];
    if (placed.has(thing)) return [];
    placed.add(thing);
    return thing.values;
  });
  return { analytes: things, values };
}

/** Partial while an order of the transaction is in progress. */
function statusOf(parts: readonly TransactionPart[], isActive: boolean): string {
  if (isActive) return 'partial';
  return parts.some(({ result }) => result.metadata.status === 'corrected') ? 'corrected' : 'final';
}

function samplesOf(parts: readonly TransactionPart[]): OrderResultView['sample_information'] {
  const samples = Object.assign({}, ...parts.map(({ result }) => result.sample_information ?? {}));
  return Object.keys(samples).length > 0 ? samples : null;
}
