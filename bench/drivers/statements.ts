import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import * as sql from '../statements.ts';
import type { BareStatement } from '../statements.ts';

/** One statement of a request, with its values. */
export interface BenchStatement extends BareStatement {
  readonly values: readonly unknown[];
}

/** What a driver is measured with: all run as the tenant's role, so row-level security applies to each. */
export interface RequestStatements {
  /** Sets the tenant for the transaction. */
  readonly enter: BenchStatement;
  /** An order as GET /v3/order/{id} reads it, and the read that POST /v3/order begins with. */
  readonly read: (n: number) => BenchStatement;
  /** The rows of a new order, in their order: none needs the result of another. */
  readonly write: () => readonly BenchStatement[];
}

interface RequestSubjects {
  readonly teamId: string;
  readonly orderIds: readonly string[];
}

export async function prepareStatements(
  owner: pg.ClientBase,
  { teamId, orderIds }: RequestSubjects,
): Promise<RequestStatements> {
  const tenantKey = [teamId, 'sandbox'];
  const model = await sql.readModelRows(owner, orderIds[0] ?? '');
  const userId = model.order['user_id'];
  return {
    enter: { ...enterTenant, values: tenantKey },
    read: (n) => ({ ...sql.readOrder, values: [...tenantKey, orderIds[n % orderIds.length]] }),
    write: () => {
      const [id, transactionId, now] = [randomUUID(), randomUUID(), new Date()];
      const order = { ...model.order, id, transaction_id: transactionId, created_at: now, updated_at: now };
      const event = { ...model.event, id: randomUUID(), created_at: now };
      return [
        { ...sql.insertTransaction, values: [...tenantKey, transactionId, userId, now] },
        { ...sql.insertOrder, values: sql.orderValues(order) },
        { ...sql.insertOrderEvent, values: [...tenantKey, id, 'ordered', now] },
        { ...sql.insertEvent, values: sql.eventValues(event) },
      ];
    },
  };
}

const enterTenant: BareStatement = {
  name: 'enter_tenant',
  text: "select set_config('aliquot.team_id', $1, true), set_config('aliquot.environment', $2, true)",
};
