/**
 * The baseline for a sender: a loop that signs a body and posts it over 64 connections. No queue, no database, no
 * schedule, no records. It runs in a process of its own, as our sender does.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { z } from 'zod';

const CONNECTIONS = 64;
const environment = z
  .object({ RECEIVER: z.string(), COUNT: z.coerce.number(), BODY: z.string(), SECRET: z.string() })
  .parse(process.env);
const secret = Buffer.from(environment.SECRET, 'base64');
const pool = new Pool(environment.RECEIVER, { connections: CONNECTIONS, pipelining: 1 });

let left = environment.COUNT;
async function loop(): Promise<void> {
  while (left > 0) {
    left -= 1;
    const id = `msg_${randomUUID()}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const mac = createHmac('sha256', secret)
      .update(`${id}.${timestamp}.${environment.BODY}`)
      .digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${mac}`,
    };
    const { body } = await pool.request({
      method: 'POST',
      path: '/fast/bare',
      headers,
      body: environment.BODY,
    });
    await body.dump();
  }
}
await Promise.all(Array.from({ length: CONNECTIONS }, loop));
await pool.close();
