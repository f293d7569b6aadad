import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

/** A time-ordered id (UUIDv7): new rows land at the right edge of every index. */
export const newId = (): string => v7();

/** A random id (UUIDv4), where the wire contract asks for one. */
export const newRandomId = (): string => randomUUID();
