import type { App } from '../../../app.ts';
import { later, SECOND } from '../../../platform/clock.ts';
import type { ClaimedMessage } from '../claim.ts';
import type { CachedEvent } from '../event-cache.ts';
import { signingKeys } from '../secrets.ts';
import type { SignableMessage } from './batch.ts';
import { messageId } from '../../../events/events.ts';
import { timestampOf, type WebhookSignature } from './signature.ts';
import type { Signer } from './signer.ts';

/** Fewer messages than this are signed faster than they are handed to the thread. */
const PRESIGN_MIN = 32;
/** Batch size: a batch is sent as soon as it is signed, while the next one is being signed. */
const BATCH_MAX = 512;
/** How many bytes of bodies are decrypted in advance; the rest is decrypted and signed when it is sent. */
const OPEN_BYTES_MAX = 16 * 1024 * 1024;
/** A message that waited longer is signed again: receivers refuse old timestamps. */
const VALID_FOR_MS = 5 * SECOND;

interface PresignOptions {
  readonly signer: Signer;
  readonly send: (claimed: ClaimedMessage) => void;
}

/** Sends all messages in order. Large batches are signed in advance. */
export async function presign(
  app: App,
  claimed: readonly ClaimedMessage[],
  { signer, send }: PresignOptions,
): Promise<void> {
  if (claimed.length < PRESIGN_MIN) return claimed.forEach(send);
  const at = app.clock.now();
  const timestamp = timestampOf(at);
  const mayOpen = createByteBudget(OPEN_BYTES_MAX);
  const parts: { messages: readonly ClaimedMessage[]; signatures: Promise<string[]> | undefined }[] = [];
  for (let from = 0; from < claimed.length; from += BATCH_MAX) {
    const messages = claimed.slice(from, from + BATCH_MAX);
    const signatures = signer.sign(
      messages.map((each) => (mayOpen(each.event) ? toSignable(each, at) : undefined)),
      timestamp,
    );
    parts.push({ messages, signatures });
  }
  for (const { messages, signatures } of parts) {
    const made = (await signatures) ?? [];
    messages.forEach((each, n) => {
      const signature = made[n];
      if (signature) each.presigned = { timestamp, signature };
      send(each);
    });
  }
}

/** Returns a check of whether the body of a message fits the byte budget; messages of one event share a body. */
export function createByteBudget(bytes: number): (event: Pick<CachedEvent, 'bytes'>) => boolean {
  const open = new Set<Pick<CachedEvent, 'bytes'>>();
  let left = bytes;
  return (event) => {
    if (open.has(event)) return true;
    if (event.bytes > left) return false;
    left -= event.bytes;
    open.add(event);
    return true;
  };
}

/** Undefined for a message that cannot be read; the sender fails on it again and reports it. */
function toSignable(claimed: ClaimedMessage, at: Date): SignableMessage | undefined {
  const { row, event, cipher } = claimed;
  try {
    return { id: messageId(row.event_id), body: event.body(cipher), keys: signingKeysOf(claimed, at) };
  } catch {
    return undefined;
  }
}

/**
 * Messages are signed with system time, but keys are chosen by tenant time: a receiver compares the timestamp with its
 * own clock, while the overlap of a rotation follows the sandbox clock.
 */
export const signingKeysOf = ({ row, endpoint }: ClaimedMessage, at: Date): string[] =>
  endpoint ? signingKeys(endpoint.secrets(), later(at, row.clock_offset_ms)) : [];

export function recentSignature({ presigned }: ClaimedMessage, at: Date): WebhookSignature | undefined {
  if (!presigned) return undefined;
  const age = at.getTime() - Number(presigned.timestamp) * SECOND;
  return age >= 0 && age < VALID_FOR_MS ? presigned : undefined;
}
