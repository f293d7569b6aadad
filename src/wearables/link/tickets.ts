import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';

/**
 * A word that we give out and know again: the tenant, a secret, and our signature over both. Whoever brings one tells us
 * by it whose it is, before any row is read; the row is found by the digest, and the word itself is kept nowhere.
 */
export interface Ticket {
  readonly tenant: Tenant;
  readonly digest: Buffer;
}

export type Purpose = 'link_token' | 'link_state';

const SECRET_BYTES = 24;
const MARK_BYTES = 16;
const HEAD_BYTES = 17;

export function newTicket(app: App, purpose: Purpose, tenant: Tenant): { word: string; digest: Buffer } {
  const environment = tenant.environment === 'sandbox' ? 1 : 0;
  const body = Buffer.concat([parse(tenant.teamId), Buffer.of(environment), randomBytes(SECRET_BYTES)]);
  const word = Buffer.concat([body, mark(app, purpose, body)]).toString('base64url');
  return { word, digest: digestOf(word) };
}

/** Undefined: nothing that we gave out for this purpose. */
export function readTicket(app: App, purpose: Purpose, word: string): Ticket | undefined {
  const bytes = Buffer.from(word, 'base64url');
  const body = bytes.subarray(0, HEAD_BYTES + SECRET_BYTES);
  if (bytes.length !== body.length + MARK_BYTES || bytes.toString('base64url') !== word) return undefined;
  if (!timingSafeEqual(bytes.subarray(body.length), mark(app, purpose, body))) return undefined;
  const environment = body[HEAD_BYTES - 1] === 1 ? 'sandbox' : 'production';
  return {
    tenant: { teamId: stringify(body.subarray(0, HEAD_BYTES - 1)), environment },
    digest: digestOf(word),
  };
}

export const digestOf = (word: string): Buffer => createHash('sha256').update(word).digest();

const mark = ({ keyring }: App, purpose: Purpose, body: Buffer): Buffer =>
  createHmac('sha256', keyring.derive(`wearables/${purpose}`))
    .update(body)
    .digest()
    .subarray(0, MARK_BYTES);
