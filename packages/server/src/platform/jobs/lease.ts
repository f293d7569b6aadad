import { later } from '../clock.ts';
import { newRandomId } from '../ids.ts';

/** A lease is believed up to this multiple of its length: one that ends later was written by a clock since set back. */
const CREDIBLE_FACTOR = 2;

/** The latest end of a lease that is believed. */
export const latestCredibleLease = (now: Date, leaseMs: number): Date =>
  later(now, CREDIBLE_FACTOR * leaseMs);

/** What a worker needs to claim a row of a leased queue. */
export const newClaim = (now: Date, leaseMs: number) => ({
  now,
  until: later(now, leaseMs),
  leaseId: newRandomId(),
  unbelievable: latestCredibleLease(now, leaseMs),
});

interface LeaseRelease {
  readonly now: Date;
  /** Number of claims, including the current one. */
  readonly tries: number;
  /** A try that our own shutdown interrupted does not count, and there is no pause after it. */
  readonly isInterrupted: boolean;
  readonly afterMs: number;
}

/** The change that gives a row back, for a later try by any worker. */
export const releasedLease = ({ now, tries, isInterrupted, afterMs }: LeaseRelease) =>
  isInterrupted
    ? { leased_until: now, lease_id: null, tries: tries - 1 }
    : { leased_until: later(now, afterMs), lease_id: null, tries };

/** Exponential backoff. No pause after the last try: the next claim only marks the row as failed. */
export const leaseBackoffMs = (
  tries: number,
  { baseMs, factor, triesMax }: { baseMs: number; factor: number; triesMax: number },
): number => (tries < triesMax ? baseMs * factor ** (tries - 1) : 0);
