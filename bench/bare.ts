/**
 * The baseline: a bare Fastify server that does the same work by hand. No validation, no keys, no encryption, no roles;
 * its responses are as long as ours. It runs in a process of its own, as the service does.
 */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { z } from 'zod';
import { ignoreLostConnections } from '../tools/stage/database.ts';
import * as sql from './statements.ts';

const BareEnvironment = z.object({
  DATABASE_URL: z.string(),
  DATABASE_POOL: z.coerce.number(),
  PORT: z.coerce.number(),
  TEAM_ID: z.string(),
  ORDER_ID: z.string(),
  /** The service's response when that order is read. */
  ORDER_ANSWER: z.string(),
  /** The same for an order of two lab tests. */
  ORDER_SET_ID: z.string(),
  ORDER_SET_ANSWER: z.string(),
  /** The service's response when the results of an order are read. */
  RESULT_ANSWER: z.string(),
});
const environment = BareEnvironment.parse(process.env);

const pool = ignoreLostConnections(
  new pg.Pool({ connectionString: environment.DATABASE_URL, max: environment.DATABASE_POOL }),
);
const answer: Record<string, unknown> = JSON.parse(environment.ORDER_ANSWER);
const result: { metadata: object } = JSON.parse(environment.RESULT_ANSWER);
const tenantKey = [environment.TEAM_ID, 'sandbox'];

interface OrderBody {
  readonly user_id: string;
}

const server = Fastify();
server.get('/readyz', async () => ({ status: 'ok' }));

/** A handler that writes orders like the given one. */
async function createOrderHandler(likeId: string, answered: string) {
  const model = await sql.readModelRows(pool, likeId);
  const like: Record<string, unknown> = JSON.parse(answered);
  return async ({ body }: { body: OrderBody }) => {
    const [id, transactionId, now] = [randomUUID(), randomUUID(), new Date()];
    const row = {
      ...model.order,
      id,
      transaction_id: transactionId,
      user_id: body.user_id,
      created_at: now,
      updated_at: now,
    };
    const event = { ...model.event, id: randomUUID(), user_id: body.user_id, created_at: now };
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query({
        ...sql.insertTransaction,
        values: [...tenantKey, transactionId, body.user_id, now],
      });
      await client.query({ ...sql.insertOrder, values: sql.orderValues(row) });
      await client.query({ ...sql.insertOrderEvent, values: [...tenantKey, id, 'ordered', now] });
      await client.query({ ...sql.insertEvent, values: sql.eventValues(event) });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    const order = {
      ...like,
      id,
      user_id: body.user_id,
      created_at: formatTimestamp(now),
      updated_at: formatTimestamp(now),
    };
    return { order, status: 'success', message: 'order created' };
  };
}

server.post<{ Body: OrderBody }>(
  '/v3/order',
  await createOrderHandler(environment.ORDER_ID, environment.ORDER_ANSWER),
);
server.post<{ Body: OrderBody }>(
  '/v3/order/create',
  await createOrderHandler(environment.ORDER_SET_ID, environment.ORDER_SET_ANSWER),
);

server.get<{ Params: { id: string } }>('/v3/order/:id', async ({ params }) => {
  const { rows } = await pool.query({ ...sql.readOrder, values: [...tenantKey, params.id] });
  const [row] = rows;
  return {
    ...answer,
    id: row.id,
    user_id: row.user_id,
    lab_test: row.lab_test,
    physician: row.physician,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
});

/** Reads only the row of the newest results. Its content stays sealed; the response is as long as ours. */
server.get<{ Params: { id: string } }>('/v3/order/:id/result', async ({ params }) => {
  const { rows } = await pool.query({ ...sql.readResult, values: [...tenantKey, params.id] });
  const [row] = rows;
  return {
    ...result,
    metadata: { ...result.metadata, status: row.status, interpretation: row.interpretation },
  };
});

server.get<{ Querystring: { limit: string } }>('/v2/user', async ({ query }) => {
  const [users, count] = await Promise.all([
    pool.query({ ...sql.listUsers, values: [...tenantKey, 0, Number(query.limit)] }),
    pool.query({ ...sql.countUsers, values: tenantKey }),
  ]);
  return {
    users: users.rows.map(viewUser),
    total: count.rows[0].count,
    offset: 0,
    limit: Number(query.limit),
  };
});

const viewUser = (row: Record<string, unknown>) => ({
  user_id: row['id'],
  team_id: row['team_id'],
  client_user_id: row['client_user_id'],
  created_on: formatTimestamp(row['created_at']),
  connected_sources: [],
  fallback_time_zone: row['fallback_time_zone'],
  fallback_birth_date: row['fallback_birth_date'],
  ingestion_start: row['ingestion_start'],
  ingestion_end: row['ingestion_end'],
});

/** As long as the service's timestamps. */
function formatTimestamp(value: unknown): string {
  return value instanceof Date ? value.toISOString().replace('Z', '+00:00') : '';
}

await server.listen({ host: '127.0.0.1', port: environment.PORT });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
