import type { FileReport } from '../report.ts';
import { place, type FitPart } from './chain.ts';
import { plainRecords } from './plain.ts';
import type { FitSdk } from './sdk.ts';

/** One message by the names of the profile; what is invalid in the file is not there. */
export type Message = Readonly<Record<string, unknown>>;
/** Messages by their kind, as `recordMesgs`. */
export type Messages = (kind: string) => readonly Message[];

const CRC_BYTES = 2;

/**
 * Decodes one part. Its checksum was looked at before, which is why the SDK is given the data alone; what it stumbles
 * over in them is a fault of the report, and what was decoded until then counts.
 */
export function messagesOf(sdk: FitSdk, part: FitPart, report: FileReport): Messages {
  const bytes = Buffer.concat([plainRecords(part), Buffer.alloc(CRC_BYTES)]);
  const { messages, errors } = new sdk.Decoder(sdk.Stream.fromBuffer(bytes)).read({ dataOnly: true });
  for (const error of errors) report.fault(place(part.byte), told(error));
  const byKind = new Map<string, readonly Message[]>();
  for (const [kind, list] of Object.entries(messages)) if (Array.isArray(list)) byKind.set(kind, list);
  return (kind) => byKind.get(kind) ?? [];
}

/** The SDK counts bytes from the first record. */
const told = (error: unknown): string =>
  error instanceof Error
    ? error.message.replace('FIT Runtime Error', 'after its header').trim()
    : 'not decoded';

/** A number of a message; of a list none. */
export function numberIn(message: Message | undefined, ...names: string[]): number | null {
  for (const name of names) {
    const value = message?.[name];
    if (typeof value === 'number' && Number.isFinite(value)) return value;
  }
  return null;
}

export function textIn(message: Message | undefined, ...names: string[]): string | null {
  for (const name of names) {
    const value = message?.[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return null;
}

/** Seconds before this one are those since a device was switched on, and no moment. */
const FIRST_ABSOLUTE_SECOND = 0x10000000;
const EPOCH_MS = 631_065_600_000;

/** Milliseconds since 1970; null where the device did not know the time. */
export function momentIn(message: Message | undefined, ...names: string[]): number | null {
  for (const name of names) {
    const value = message?.[name];
    if (value instanceof Date && value.getTime() >= EPOCH_MS + FIRST_ABSOLUTE_SECOND * 1000)
      return value.getTime();
  }
  return null;
}

const QUARTER_HOUR = 900;
const FARTHEST_SECONDS = 15 * 3600;

/** Seconds east of UTC: what a message with both times says. */
export function offsetIn(message: Message | undefined): number | null {
  const at = momentIn(message, 'timestamp');
  const local = numberIn(message, 'localTimestamp');
  if (at === null || local === null || local < FIRST_ABSOLUTE_SECOND) return null;
  const offset = Math.round((local - (at - EPOCH_MS) / 1000) / QUARTER_HOUR) * QUARTER_HOUR;
  return Math.abs(offset) <= FARTHEST_SECONDS ? offset : null;
}
