const COUNTED = 0x1000;
const MOMENT_DIGITS = 12;
/** Of a UUID, what comes behind its moment, its version and twelve bits more. */
const TAIL_FROM = 18;

let count = 0;

/**
 * The id of an attempt in the form of a UUIDv7: its moment, a running number, and the random bits of its message's own
 * id. To draw new ones for every attempt would cost more than printing them.
 */
export function attemptId(messageId: string, at: Date): string {
  count = (count + 1) % COUNTED;
  const moment = at.getTime().toString(16).padStart(MOMENT_DIGITS, '0');
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${count.toString(16).padStart(3, '0')}${messageId.slice(TAIL_FROM)}`;
}
