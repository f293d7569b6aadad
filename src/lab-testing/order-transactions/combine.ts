import type { z } from 'zod';
import { worstOf } from '../results/results.ts';
import type { ResultView } from '../results/schema.ts';
import type { CombinedView } from './schema.ts';

type Result = z.input<typeof ResultView>;

/** The results of one order of a transaction. */
export interface Part {
  readonly orderId: string;
  readonly result: Result;
}

type Coded = Pick<Result['results'][number], 'loinc' | 'provider_id' | 'slug'>;

/**
 * Whether two are of one thing: of one LOINC. Where one of them has none, of one code of the laboratory's, or, where
 * one has neither, of one name; a code means nothing at another laboratory.
 */
function isSame(one: Told, other: Told): boolean {
  if (one.loinc !== null && other.loinc !== null) return one.loinc === other.loinc;
  if (one.provider_id !== null && other.provider_id !== null)
    return one.provider_id === other.provider_id && one.laboratory === other.laboratory;
  return one.slug === other.slug;
}

interface Told extends Coded {
  readonly laboratory: string | null;
}

/**
 * One result out of the newest of several orders, oldest first: of each thing the value of the last order that has one.
 * A later order has the newer specimen; that an older one is corrected afterwards does not make it newer. Missing is
 * what no order has a value of.
 */
export function combine(
  parts: readonly [Part, ...Part[]],
  { isActive }: { isActive: boolean },
): CombinedView {
  const { things, values } = newest(parts, (result) => result.results);
  const missing = newest(parts, (result) => result.missing_results ?? []).things.filter(
    ({ told }) => !things.some((thing) => isSame(thing.told, told)),
  );
  const last = parts.at(-1) ?? parts[0];
  return {
    metadata: {
      ...last.result.metadata,
      status: statusOf(parts, isActive),
      interpretation: worstOf(values.map(({ interpretation }) => interpretation)),
    },
    results: values,
    missing_results: missing.flatMap((one) => one.values),
    sample_information: samplesOf(parts),
    order_transaction: last.result.order_transaction,
  };
}

type From<T> = T & { source_order_id: string };

/** What the last order that told of a thing said of it, be it twice: in two panels, or of two isolates. */
interface Thing<T> {
  told: Told;
  values: From<T>[];
  /** Which order told of it first, and which last. */
  readonly first: number;
  last: number;
}

interface Newest<T> {
  readonly things: readonly Thing<T>[];
  readonly values: From<T>[];
}

/**
 * What the last order that told of a thing said of it. In the order in which the things were first told of, so that
 * a redraw fills in and does not reshuffle; what stands several times is where its order has it, since a drug belongs
 * to the isolate that it is reported below.
 */
function newest<T extends Coded>(
  parts: readonly Part[],
  toldBy: (result: Result) => readonly T[],
): Newest<T> {
  const things: Thing<T>[] = [];
  const rows = parts.flatMap(({ orderId, result }, part) =>
    toldBy(result).map((each) => {
      const told = { ...each, laboratory: result.metadata.laboratory };
      const value = { ...each, source_order_id: orderId };
      const known = things.find((before) => isSame(before.told, told));
      const thing = known ?? { told, values: [], first: part, last: part };
      if (!known) things.push(thing);
      if (thing.last !== part) Object.assign(thing, { told, values: [], last: part });
      thing.values.push(value);
      return { thing, part, value };
    }),
  );
  const placed = new Set<Thing<T>>();
  const values = rows.flatMap(({ thing, part, value }) => {
    if (thing.first === thing.last || thing.values.length > 1) return part === thing.last ? [value] : [];
    if (placed.has(thing)) return [];
    placed.add(thing);
    return thing.values;
  });
  return { things, values };
}

/** More may come while an order is under way. */
function statusOf(parts: readonly Part[], isActive: boolean): string {
  if (isActive) return 'partial';
  return parts.some(({ result }) => result.metadata.status === 'corrected') ? 'corrected' : 'final';
}

function samplesOf(parts: readonly Part[]): Result['sample_information'] {
  const samples = Object.assign({}, ...parts.map(({ result }) => result.sample_information ?? {}));
  return Object.keys(samples).length > 0 ? samples : null;
}
