import type { App } from '../../app.ts';
import { later, SECOND } from '../../platform/clock.ts';
import type { Claimed } from '../claim.ts';
import type { KnownEvent } from '../known-events.ts';
import { signingKeys } from '../secrets.ts';
import type { ToSign } from './batch.ts';
import { messageId, timestampOf, type Signature } from './signature.ts';
import type { Signer } from './signer.ts';

/** Fewer than this are signed quicker than they are handed over. */
const WORTH_FROM = 32;
/** So many go on as soon as they are signed, while the next are. */
const PART = 512;
/** So much is opened before its turn; what is beyond it is opened, and signed, when it is sent. */
const OPEN_BYTES = 16 * 1024 * 1024;
/** A message that waited longer for its turn is signed anew: receivers refuse what is old. */
const GOOD_FOR_MS = 5 * SECOND;

export interface Ahead {
  readonly signer: Signer;
  readonly go: (claimed: Claimed) => void;
}

/** Lets every message go, in its order; the many signed beforehand, the few not. */
export async function signAhead(app: App, claimed: readonly Claimed[], { signer, go }: Ahead): Promise<void> {
  if (claimed.length < WORTH_FROM) return claimed.forEach(go);
  const at = app.clock.now();
  const timestamp = timestampOf(at);
  const mayOpen = openWithin(OPEN_BYTES);
  const parts: { messages: readonly Claimed[]; signatures: Promise<string[]> | undefined }[] = [];
  for (let from = 0; from < claimed.length; from += PART) {
    const messages = claimed.slice(from, from + PART);
    const signatures = signer.sign(
      messages.map((each) => (mayOpen(each.event) ? toSign(each, at) : undefined)),
      timestamp,
    );
    parts.push({ messages, signatures });
  }
  for (const { messages, signatures } of parts) {
    const made = (await signatures) ?? [];
    messages.forEach((each, n) => {
      const signature = made[n];
      if (signature) each.signed = { timestamp, signature };
      go(each);
    });
  }
}

/** Whether the body of a message still has room beside those before it; messages of one event share theirs. */
export function openWithin(bytes: number): (event: Pick<KnownEvent, 'bytes'>) => boolean {
  const open = new Set<Pick<KnownEvent, 'bytes'>>();
  let left = bytes;
  return (event) => {
    if (open.has(event)) return true;
    if (event.bytes > left) return false;
    left -= event.bytes;
    open.add(event);
    return true;
  };
}

/** undefined for what cannot be read; that is found again, and told of, where it is sent. */
function toSign(claimed: Claimed, at: Date): ToSign | undefined {
  const { row, event, cipher } = claimed;
  try {
    return { id: messageId(row.event_id), body: event.body(cipher), keys: keysOf(claimed, at) };
  } catch {
    return undefined;
  }
}

/**
 * Signed with the system's moment, chosen keys by the tenant's: a receiver compares the timestamp with its own clock,
 * while the overlap of a rotation is one of the terms that a moved sandbox clock moves.
 */
export const keysOf = ({ row, endpoint }: Claimed, at: Date): string[] =>
  endpoint ? signingKeys(endpoint.secrets(), later(at, row.clock_offset_ms)) : [];

export function signedLately({ signed }: Claimed, at: Date): Signature | undefined {
  if (!signed) return undefined;
  const age = at.getTime() - Number(signed.timestamp) * SECOND;
  return age >= 0 && age < GOOD_FOR_MS ? signed : undefined;
}
