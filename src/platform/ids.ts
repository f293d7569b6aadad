import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { systemClock } from './clock.ts';
import { randomPieces } from './random.ts';

const nextRandom = randomPieces(16);
/** The ids of a millisecond are numbered in 32 bits, from somewhere in the lower half of them. */
const NUMBERS = 2 ** 32;
/** The library takes the other bytes that it needs from behind these. */
const NUMBER_AT = 6;
let latestMs = -Infinity;
let number = 0;

/**
 * A time-ordered id (UUIDv7): new rows land at the right edge of every index. Those of one process are in order, also
 * within a millisecond and where the system's clock is set back.
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

/** A random id (UUIDv4), where the wire contract asks for one. */
export const newRandomId = (): string => randomUUID();
