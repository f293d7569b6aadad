import type { FileReport } from '../report.ts';
import { formatPosition, type FitSegment } from './chain.ts';
import { getNumber, getTimestamp, type FitMessage, type FitMessages } from './messages.ts';

/** One segment with its decoded messages. */
export interface DecodedSegment {
  readonly part: FitSegment;
  readonly messages: FitMessages;
}

/** A heart rate of a strap that has a memory of its own. */
interface StrapRate {
  readonly at: number;
  readonly rate: number;
}

/** The clock of a strap counts seconds in 22 bits. */
const STRAP_CLOCK_SECONDS = 2 ** 22;
/** A rate stands for the time until the next one, but for no longer than this. */
const CARRIED_MS = 5000;

/**
 * Merges the heart rates that a strap handed over after a workout (as under water, where it cannot send) into the
 * records of the file. They may be in another of its segments, so that time alone says which record they belong to.
 * As in the SDK, which merges only within one segment, they replace what the watch received.
 */
export function mergeStrapRates(
  segments: readonly DecodedSegment[],
  report: FileReport,
): readonly DecodedSegment[] {
  const found = segments.map(({ part, messages }) => ({ part, rates: readStrapRates(messages('hrMesgs')) }));
  const rates = found.flatMap((one) => one.rates).toSorted((one, other) => one.at - other.at);
  const first = found.find((one) => one.rates.length > 0);
  if (!first) return segments;
  let merged = 0;
  const after = segments.map(({ part, messages }) => {
    const records = messages('recordMesgs').map((record, index, all) => {
      const rate = findRate(rates, record, all[index - 1]);
      if (rate === null) return record;
      merged += 1;
      return { ...record, heartRate: rate };
    });
    return { part, messages: (kind: string) => (kind === 'recordMesgs' ? records : messages(kind)) };
  });
  if (merged === 0)
    report.fault(formatPosition(first.part.byte), `${rates.length} heart rates of a strap match no record`);
  return after;
}

/** The times of rates count from an anchor, a message with both the time of the watch and the clock of the strap. */
function readStrapRates(messages: readonly FitMessage[]): StrapRate[] {
  let anchor: { readonly at: number; readonly clock: number } | null = null;
  return messages.flatMap((message) => {
    const clocks = listNumbers(message['eventTimestamp']);
    const rates = listNumbers(message['filteredBpm']);
    const at = getTimestamp(message, 'timestamp');
    const [clock] = clocks;
    if (at !== null && typeof clock === 'number') {
      anchor = { at: at + (getNumber(message, 'fractionalTimestamp') ?? 0) * 1000, clock };
    }
    const from = anchor;
    if (from === null) return [];
    return rates.flatMap((rate, index) => {
      const ticks = clocks[index];
      if (typeof rate !== 'number' || rate <= 0 || typeof ticks !== 'number') return [];
      const seconds = ticks >= from.clock ? ticks - from.clock : ticks - from.clock + STRAP_CLOCK_SECONDS;
      return [{ at: from.at + seconds * 1000, rate }];
    });
  });
}

/** A field with one value is not a list. */
const listNumbers = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** The average of the rates since the previous record, or else the last one before, if it is recent. */
function findRate(
  rates: readonly StrapRate[],
  record: FitMessage,
  previous: FitMessage | undefined,
): number | null {
  const at = getTimestamp(record, 'timestamp');
  if (at === null) return null;
  const before = getTimestamp(previous, 'timestamp');
  const since = before !== null && before < at ? before : at - 1000;
  let index = upperBound(rates, at) - 1;
  const last = rates[index];
  if (!last || last.at < at - CARRIED_MS) return null;
  let [sum, count] = [last.rate, 1];
  for (index -= 1; index >= 0; index -= 1) {
    const one = rates[index];
    if (!one || one.at <= since) break;
    sum += one.rate;
    count += 1;
  }
  return Math.round(sum / count);
}

/** The number of rates up to `at`, inclusive. */
function upperBound(rates: readonly StrapRate[], at: number): number {
  let [low, high] = [0, rates.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rates[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
