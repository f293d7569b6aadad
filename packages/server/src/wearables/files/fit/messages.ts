import type { FileReport } from '../report.ts';
import { formatPosition, type FitSegment } from './chain.ts';
import { expandTimestamps } from './plain-records.ts';
import type { FitSdk } from './sdk.ts';

/** One message, with the field names of the profile. Invalid fields are absent. */
export type FitMessage = Readonly<Record<string, unknown>>;
/** Messages by kind, such as `recordMesgs`. */
export type FitMessages = (kind: string) => readonly FitMessage[];

const CRC_BYTES = 2;

/**
 * Decodes one segment. The checksum has been verified, so the SDK gets only the data. Decoding errors are added to the
 * report; messages decoded before an error are kept.
 */
export function decodeMessages(sdk: FitSdk, part: FitSegment, report: FileReport): FitMessages {
  const bytes = Buffer.concat([expandTimestamps(part), Buffer.alloc(CRC_BYTES)]);
  const { messages, errors } = new sdk.Decoder(sdk.Stream.fromBuffer(bytes)).read({
    dataOnly: true,
    mergeHeartRates: false,
  });
  for (const error of errors) report.fault(formatPosition(part.byte), describeError(error));
  const byKind = new Map<string, readonly FitMessage[]>();
  for (const [kind, list] of Object.entries(messages)) if (Array.isArray(list)) byKind.set(kind, list);
  return (kind) => byKind.get(kind) ?? [];
}

/** The SDK's byte positions count from the first record. */
const describeError = (error: unknown): string =>
  error instanceof Error
    ? error.message.replace('FIT Runtime Error', 'after its header').trim()
    : 'not decoded';

/** The first of the named fields that is a number; null if none is. */
export function getNumber(message: FitMessage | undefined, ...names: string[]): number | null {
  for (const name of names) {
    const value = message?.[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return null;
}

export function getText(message: FitMessage | undefined, ...names: string[]): string | null {
  for (const name of names) {
    const value = message?.[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return null;
}

/** Smaller values are seconds since the device was switched on, not timestamps. */
const FIRST_ABSOLUTE_SECOND = 0x10000000;
const FIT_EPOCH_MS = 631_065_600_000;

/** Milliseconds since 1970; null if the device did not know the time. */
export function getTimestamp(message: FitMessage | undefined, ...names: string[]): number | null {
  for (const name of names) {
    const value = message?.[name];
    if (value instanceof Date && value.getTime() >= FIT_EPOCH_MS + FIRST_ABSOLUTE_SECOND * 1000)
      return value.getTime();
  }
  return null;
}

const QUARTER_HOUR = 900;
const OFFSET_MAX_SECONDS = 15 * 3600;

/** Seconds east of UTC, derived from a message with both UTC and local time. */
export function getOffset(message: FitMessage | undefined): number | null {
  const at = getTimestamp(message, 'timestamp');
  const local = getNumber(message, 'localTimestamp');
  if (at === null || local === null || local < FIRST_ABSOLUTE_SECOND) return null;
  const offset = Math.round((local - (at - FIT_EPOCH_MS) / 1000) / QUARTER_HOUR) * QUARTER_HOUR;
  return Math.abs(offset) <= OFFSET_MAX_SECONDS ? offset : null;
}
