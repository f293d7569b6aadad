import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { systemClock } from './clock.ts';
import { pooledRandomBytes } from './random.ts';

const nextRandom = pooledRandomBytes(16);
/** Ids of one millisecond share a 32-bit counter that starts at a random number in the lower half. */
const NUMBERS = 2 ** 32;
/** The library takes its random bytes from the bytes after the counter. */
const NUMBER_AT = 6;
let latestMs = -Infinity;
let number = 0;

/**
 * A time-ordered id (UUIDv7), so that new rows go to the right edge of every index. Ids of one process are strictly
 * increasing, also within a millisecond and when the system clock is set back.
 */
export function newId(): string {
  const random = nextRandom();
  const now = systemClock.now().getTime();
  if (now > latestMs) {
    latestMs = now;
    number = random.readUInt32BE(NUMBER_AT) >>> 1;
  } else {
    number = (number + 1) % NUMBERS;
    if (number === 0) latestMs += 1;
  }
  return v7({ random, msecs: latestMs, seq: number });
}

/** A random id (UUIDv4), for fields that must not be time-ordered. */
export const newRandomId = (): string => randomUUID();
