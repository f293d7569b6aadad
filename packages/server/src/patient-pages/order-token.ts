import { createHmac, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import { readTenant, type App } from '../app.ts';
import {
  findWorkingToken,
  issueUserToken,
  requirePermission,
  type TokenIssuer,
} from '../identity/management/management.ts';
import { DomainError } from '../platform/errors.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import type { Order } from '../ordering/orders/orders.ts';

/** The pages that a patient can open for an order. */
export type OrderPageKind = 'booking' | 'results';

const TENANT_BYTES = 17;
const ID_BYTES = 16;
const SIGNATURE_BYTES = 24;

/**
 * A token of one page of one order: the tenant, the id of the issued token and an HMAC over both. It names no user and
 * no order, so that the URL tells nothing about the patient.
 */
export async function createOrderToken(
  work: Work,
  app: App,
  { kind, order, issuer }: { kind: OrderPageKind; order: Order; issuer: TokenIssuer },
): Promise<{ id: string; word: string; expiresAt: Date }> {
  const { tenant } = work;
  const { id, expiresAt } = await issueUserToken(work, {
    kind,
    userId: order.user_id,
    orderId: order.id,
    issuer,
  });
  const environment = tenant.environment === 'sandbox' ? 1 : 0;
  const body = Buffer.concat([parse(tenant.teamId), Buffer.of(environment), parse(id)]);
  const word = Buffer.concat([body, signBytes(app, kind, body)]).toString('base64url');
  return { id, word, expiresAt };
}

const signBytes = ({ keyring }: App, kind: OrderPageKind, body: Buffer): Buffer =>
  createHmac('sha256', keyring.derive(`patient-pages/${kind}`))
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES);

/** A token that this service signed for a page. Whether it still works is to be looked up. */
interface SignedOrderToken {
  readonly tenant: Tenant;
  readonly id: string;
}

/** Undefined for a token that this service did not sign for this page. */
export function verifyOrderToken(app: App, kind: OrderPageKind, word: string): SignedOrderToken | undefined {
  const bytes = Buffer.from(word, 'base64url');
  const body = bytes.subarray(0, TENANT_BYTES + ID_BYTES);
  // Also compared as text, because several base64 strings decode to the same bytes.
  if (bytes.length !== body.length + SIGNATURE_BYTES || bytes.toString('base64url') !== word)
    return undefined;
  if (!timingSafeEqual(bytes.subarray(body.length), signBytes(app, kind, body))) return undefined;
  return {
    tenant: {
      teamId: stringify(body.subarray(0, TENANT_BYTES - 1)),
      environment: body[TENANT_BYTES - 1] === 1 ? 'sandbox' : 'production',
    },
    id: stringify(body.subarray(TENANT_BYTES)),
  };
}

/** A token that works now. */
export interface OrderToken extends SignedOrderToken {
  readonly kind: OrderPageKind;
  readonly orderId: string;
  readonly userId: string;
}

/** What a page does with the data, for the permissions of the key behind the token. */
const USES = {
  booking: { method: 'POST', tag: 'Appointments' },
  results: { method: 'GET', tag: 'Results' },
} as const;

/** Undefined for a token that has expired, or that was revoked, itself or with the key that issued it. */
export async function findOrderToken(
  app: App,
  kind: OrderPageKind,
  { tenant, id }: SignedOrderToken,
): Promise<OrderToken | undefined> {
  const now = app.clock.now();
  const found = await readTenant(app, tenant, ({ tx }) => findWorkingToken(tx, { tenant, id, kind }, now));
  if (!found?.orderId || !found.userId || found.expiresAt <= now) return undefined;
  try {
    requirePermission(found.permissions, USES[kind]);
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
  return { tenant, id, kind, orderId: found.orderId, userId: found.userId };
}
