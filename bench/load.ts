import { Pool } from 'undici';

/** One request of a case; `n` counts up, so that the requests of a round go to different rows. */
export interface Shot {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

export interface Target {
  readonly pool: Pool;
  readonly headers: Record<string, string>;
}

export const CONCURRENCY = 16;

export const target = (url: string, headers: Record<string, string>): Target => ({
  pool: new Pool(url, { connections: CONCURRENCY, pipelining: 1 }),
  headers: { 'content-type': 'application/json', ...headers },
});

/** Sends one request and answers its body; any other status than 200 ends the run. */
export async function send({ pool, headers }: Target, { method, path, body }: Shot): Promise<string> {
  const answer = await pool.request({ method, path, headers, body: body ?? null });
  const text = await answer.body.text();
  if (answer.statusCode !== 200)
    throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
  return text;
}

/** Keeps CONCURRENCY requests under way for so long; answers how many a second were finished. */
export async function fire(on: Target, shoot: (n: number) => Shot, forMs: number): Promise<number> {
  const start = performance.now();
  let shots = 0;
  let finished = 0;
  const shooter = async () => {
    while (performance.now() - start < forMs) {
      await send(on, shoot((shots += 1)));
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, shooter));
  return (finished * 1000) / (performance.now() - start);
}
