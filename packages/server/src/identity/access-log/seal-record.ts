import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { ENVIRONMENTS, type Environment } from '../../platform/tenant.ts';
import { openPositionCipher } from './position-cipher.ts';

/**
 * The content of the audit entries about the access log. An organization can read them, so they contain no position,
 * and no digest from which one could be guessed: positions are encrypted and digests keyed, under the `position_key` of
 * the tenant. Entries of earlier versions have both in clear.
 */

/** A range of positions of one tenant: after the first and up to the second. */
interface PositionRange {
  readonly after: number;
  readonly to: number;
}

interface LineDigest {
  readonly lines: number;
  readonly digest: string;
}

/** A sealed range of lines, as a seal states it. */
export interface SealedRange extends PositionRange, LineDigest {
  readonly environment: Environment;
  /** False in seals of earlier versions: their digest is that of the lines itself. */
  readonly isKeyed: boolean;
}

const SealRecord = z.object({
  environment: z.enum(ENVIRONMENTS),
  after: z.union([z.int().min(0), z.string()]),
  to: z.union([z.int().min(1), z.string()]),
  lines: z.int().min(1),
  digest: z.string(),
});

export function encodePositions(
  key: Buffer,
  { after, to }: PositionRange,
): { readonly after: string; readonly to: string } {
  const ids = openPositionCipher(key);
  return { after: ids.toId(after), to: ids.toId(to) };
}

/** Undefined if it was not encrypted with this key. */
export function decodePosition(key: Buffer | null, position: unknown): number | undefined {
  if (typeof position === 'number') return position;
  if (typeof position !== 'string' || key === null) return undefined;
  return openPositionCipher(key).toPosition(position);
}

export const encodeDigest = (key: Buffer, digest: string): string =>
  createHmac('sha256', key).update(digest).digest('hex');

/** Undefined if it is no seal. */
export const environmentOfSeal = (record: unknown): Environment | undefined =>
  SealRecord.safeParse(record).data?.environment;

/** Undefined if it is no seal, or one with another key. */
export function decodeSeal(key: Buffer, record: unknown): SealedRange | undefined {
  const sealed = SealRecord.safeParse(record);
  if (!sealed.success) return undefined;
  const after = decodePosition(key, sealed.data.after);
  const to = decodePosition(key, sealed.data.to);
  if (after === undefined || to === undefined) return undefined;
  return { ...sealed.data, after, to, isKeyed: typeof sealed.data.to === 'string' };
}

/** Whether lines and digest of now are those of the seal. */
export function isIntact(seal: SealedRange, key: Buffer, now: LineDigest | undefined): boolean {
  if (now?.lines !== seal.lines) return false;
  if (!seal.isKeyed) return now.digest === seal.digest;
  return encodeDigest(key, now.digest) === seal.digest;
}
