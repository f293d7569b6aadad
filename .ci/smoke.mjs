// Waits until the service at BASE is ready, then makes one real request with the key of the first start.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE, FILE } = process.env;
const PATIENCE_MS = 60_000;

async function ready() {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`${BASE}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (Date.now() > until)
      throw new Error(`Not ready after ${PATIENCE_MS / 1000} s (${answer?.status ?? 'no answer'})`);
    await sleep(100);
  }
}

await ready();
process.stdout.write('ready\n');
const { team_api_key: key } = JSON.parse(await readFile(FILE, 'utf8'));
const answer = await fetch(`${BASE}/v2/user`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-service-api-key': key },
  body: JSON.stringify({ client_user_id: 'smoke' }),
});
const text = await answer.text();
process.stdout.write(`POST /v2/user: ${answer.status} ${text}\n`);
if (answer.status !== 200 || JSON.parse(text).client_user_id !== 'smoke') process.exit(1);
