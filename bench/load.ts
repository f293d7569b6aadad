import { Pool } from 'undici';

/** One request of a case. Cases create it from a counter, so that the requests of a round go to different rows. */
export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

export interface BenchTarget {
  readonly pool: Pool;
  readonly headers: Record<string, string>;
}

export const CONCURRENCY = 16;

/** Rate limits that no load reaches, so that they are counted as in production. */
export const UNREACHED_LIMITS = { RATE_LIMIT_TEAM: '1000000000', RATE_LIMIT_KEY: '1000000000' } as const;

export const createTarget = (url: string, headers: Record<string, string>): BenchTarget => ({
  pool: new Pool(url, { connections: CONCURRENCY, pipelining: 1 }),
  headers: { 'content-type': 'application/json', ...headers },
});

/** Sends one request and returns the response body. Throws for any status but 200. */
export async function send(
  { pool, headers }: BenchTarget,
  { method, path, body }: BenchRequest,
): Promise<string> {
  const answer = await pool.request({ method, path, headers, body: body ?? null });
  const text = await answer.body.text();
  if (answer.statusCode !== 200)
    throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
  return text;
}

/** Keeps CONCURRENCY requests in flight for `forMs` milliseconds; returns completed requests per second. */
export async function runLoad(
  on: BenchTarget,
  shoot: (n: number) => BenchRequest,
  forMs: number,
): Promise<number> {
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
