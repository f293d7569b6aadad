/**
 * A caller in a process of its own, so that its work delays no other caller: keeps some requests in flight for a time,
 * and prints what it measured. Its argument is a Calling as JSON. It prints a line when it is ready, begins when its
 * standard input ends, and prints a Called as JSON.
 */
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { Calling, type Called } from './calling.ts';

async function call({ url, headers, paths, connections, lastsMs, pauseMs }: Calling): Promise<Called> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const until = performance.now() + lastsMs;
  const connection = async (first: number) => {
    for (let n = first; performance.now() < until; n += 1) {
      const begun = performance.now();
      const answer = await pool.request({
        method: 'GET',
        path: paths[n % paths.length] ?? '/',
        headers: headers[n % headers.length] ?? {},
      });
      await answer.body.dump();
      times.push(performance.now() - begun);
      statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, n) => connection(n)));
  await pool.destroy();
  return { times, statuses };
}

const calling = Calling.parse(JSON.parse(process.argv[2] ?? ''));
process.stdout.write('ready\n');
await text(process.stdin);
process.stdout.write(`${JSON.stringify(await call(calling))}\n`);
