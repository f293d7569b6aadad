const COUNTER_SIZE = 0x1000;
const TIMESTAMP_DIGITS = 12;
/** The position in a UUID after its timestamp, its version and twelve more bits. */
const TAIL_FROM = 18;

let count = 0;

/**
 * The id of an attempt as a UUIDv7: its timestamp, a counter, and the random bits of the message id. Drawing new random
 * bits for every attempt would cost more than formatting the id.
 */
export function attemptId(messageId: string, at: Date): string {
  count = (count + 1) % COUNTER_SIZE;
  const moment = at.getTime().toString(16).padStart(TIMESTAMP_DIGITS, '0');
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7${count.toString(16).padStart(3, '0')}${messageId.slice(TAIL_FROM)}`;
}
