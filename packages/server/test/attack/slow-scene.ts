import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { failuresOf, quantile, startHonestCaller } from './honest-caller.ts';
import type { AttackScene, AttackSize } from './scene.ts';
import type { AttackStage } from './stage.ts';

const CONNECTIONS: Record<AttackSize, number> = { short: 60, full: 2000 };
const BODY_BYTES = 1024 * 1024;
const QUIET_MS: Record<AttackSize, number> = { short: 200, full: 5000 };
const MEMORY_MAX_BYTES = 64 * 1024 ** 2;
const SLOWDOWN_MAX = 2;
const WAIT_MS = 30_000;

type Opening = (stage: AttackStage) => { readonly text: string; readonly closes: boolean };

/** What each connection sends, and whether the service has to end it within its time-outs. */
const OPENINGS: Readonly<Record<string, Opening>> = {
  'bodies without a key': () => ({
    text: `POST /v2/user HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY_BYTES}\r\n\r\n${' '.repeat(BODY_BYTES - 1)}`,
    closes: true,
  }),
  'heads that never end': () => ({ text: 'GET /v2/user HTTP/1.1\r\nhost: x\r\nx-slow: ', closes: true }),
  'connections that say nothing': () => ({ text: '', closes: false }),
};

/** Many connections that say little, slowly or nothing: memory and other callers hardly notice. */
export const slowScene: AttackScene = {
  name: 'slow',
  title: 'slow bodies, slow heads and idle connections',
  run: async (stage, size) => {
    const figures: Record<string, string> = {};
    const findings: string[] = [];
    const { samples } = stage;
    const honest = {
      path: `/v3/order/${samples.theirs['order_id']}`,
      headers: { 'x-service-api-key': samples.owner.key },
    };
    for (const [name, opening] of Object.entries(OPENINGS)) {
      const before = startHonestCaller(stage, honest);
      await sleep(QUIET_MS[size]);
      const quiet = await before.stop();
      const memory = await stage.memoryBytes();
      const during = startHonestCaller(stage, honest);
      const { open, peak } = await attack(stage, opening(stage), CONNECTIONS[size]);
      const calls = await during.stop();
      const grown = peak - memory;
      const slowdown = quantile(calls, 0.99) / quantile(quiet, 0.99);
      figures[name] =
        `${CONNECTIONS[size]} connections, memory +${Math.round(grown / 1024 ** 2)} MB, honest p99 ` +
        `${quantile(quiet, 0.99).toFixed(1)} -> ${quantile(calls, 0.99).toFixed(1)} ms, left open ${open}`;
      findings.push(...failuresOf(calls).map((failure) => `${name}: ${failure}`));
      if (opening(stage).closes && open > 0) findings.push(`${name}: ${open} connections were not closed`);
      if (size === 'full' && grown > MEMORY_MAX_BYTES)
        findings.push(`${name}: memory grew by ${grown} bytes`);
      if (size === 'full' && slowdown > SLOWDOWN_MAX)
        findings.push(`${name}: honest p99 grew by a factor of ${slowdown.toFixed(1)}`);
    }
    return { figures, findings };
  },
};

/** Opens the connections, waits until the service has closed those that it has to, and closes the others. */
async function attack(
  stage: AttackStage,
  { text, closes }: { text: string; closes: boolean },
  count: number,
): Promise<{ open: number; peak: number }> {
  const sockets: Socket[] = [];
  let open = 0;
  let peak = await stage.memoryBytes();
  for (let n = 0; n < count; n += 1) {
    const socket = connect(Number(new URL(stage.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('close', () => (open -= 1));
    socket.resume();
    await once(socket, 'connect').then(
      () => (open += 1),
      () => {},
    );
    if (text !== '') socket.write(text);
    if (n % 50 === 0) peak = Math.max(peak, await stage.memoryBytes());
  }
  const until = performance.now() + (closes ? WAIT_MS : 1000);
  while (open > 0 && performance.now() < until) {
    peak = Math.max(peak, await stage.memoryBytes());
    await sleep(50);
  }
  const left = open;
  for (const socket of sockets) socket.destroy();
  return { open: left, peak };
}
