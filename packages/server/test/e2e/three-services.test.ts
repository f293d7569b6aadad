import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { withDatabase } from '../database.ts';
import { databaseUrlOf } from '../database-url.ts';
import { fitRun } from '../wearable-files.ts';
import { copyCheckout, type Checkout } from './checkout.ts';
import { openMachine, type TestMachine, type ServingProcess, type StartedProcess } from './process.ts';

/** A migrated database on the server of the run, because a separate server for each service would only take time. */
async function createDatabase(): Promise<string> {
  const { connection, template, strategy } = inject('server');
  // Named so that the end of the run drops it.
  const name = `aliquot_test_${process.pid}_e2e_${randomUUID().slice(0, 8)}`;
  const admin = new pg.Client(connection);
  await admin.connect();
  await admin.query(`create database ${name} template ${template} strategy ${strategy}`);
  await admin.end();
  const own = withDatabase(connection, name);
  return own.connectionString ?? databaseUrlOf(own);
}

let checkout: Checkout;
let machines: TestMachine[];
beforeAll(async () => {
  checkout = await copyCheckout('real');
  machines = await Promise.all([1, 2, 3].map(() => openMachine(checkout.root)));
});
afterAll(async () => {
  await Promise.all(machines.map((machine) => machine.close()));
  await checkout.close();
});

function servedBy(machine: TestMachine, started: StartedProcess | undefined): Promise<ServingProcess> {
  if (!started) throw new Error('The service was not started');
  return machine.waitUntilServing(started);
}

/** Uploads a FIT file. Its decoder is a file of the build that a worker thread loads only now. */
async function readFitFile({ url, credentials }: ServingProcess): Promise<unknown> {
  const headers = { 'x-service-api-key': credentials.team_api_key };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, { ...init, headers: { ...headers, ...init.headers } });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const body = JSON.stringify({ client_user_id: 'ada' });
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  const user = z.object({ user_id: z.string() }).parse(await ask('/v2/user', init));
  const form = new FormData();
  form.append('file', new Blob([fitRun()]), 'run.fit');
  const path = `/v2/user/${user.user_id}/wearable_file`;
  const { id } = z.object({ id: z.string() }).parse(await ask(path, { method: 'POST', body: form }));
  await expect
    .poll(() => ask(`${path}/${id}`))
    .toMatchObject({ status: expect.stringMatching(/completed|failed/) });
  return ask(`${path}/${id}`);
}

/** One scenario in four tests; each continues where the previous one ended. */
describe('three services that start together from a checkout without a build', { shuffle: false }, () => {
  let started: StartedProcess[];
  let services: ServingProcess[];

  // Three builds take ten seconds of CPU time, and so do three starts.
  it('make one build', { timeout: 60_000 }, async () => {
    const urls = await Promise.all(machines.map(createDatabase));
    started = machines.map((machine, index) => machine.npmStart({ DATABASE_URL: urls[index] ?? '' }));
    const inUse = expect.stringMatching(/^[0-9a-f]{20},use,/);
    await expect
      .poll(() => checkout.dist(), { timeout: 55_000 })
      .toMatchObject({ builds: [expect.any(String)], leases: [inUse, inUse, inUse], temporary: [] });
  });

  it('serve', { timeout: 60_000 }, async () => {
    services = await Promise.all(machines.map((machine, index) => servedBy(machine, started[index])));
    for (const { url } of services) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('load parts of the build later', async () => {
    for (const service of services) {
      expect(await readFitFile(service)).toMatchObject({ status: 'completed', kind: 'fit' });
    }
  });

  it('leave only the build', async () => {
    for (const { child } of services) child.kill('SIGTERM');
    const all = await Promise.all(services.map(({ ended }) => ended));
    expect(all).toMatchObject(services.map(() => ({ code: 0 })));
    expect(await checkout.dist()).toMatchObject({ leases: [], temporary: [], others: [] });
  });
});
