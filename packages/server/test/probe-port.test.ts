import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProbePort } from '../src/compose.ts';
import { openTestService, type TestService } from './service.ts';

let service: TestService;
const lines: string[] = [];
beforeAll(async () => {
  service = await openTestService({}, { write: (line) => void lines.push(line) });
});
afterAll(() => service.close());

describe('the probe port', () => {
  it('has neither a request line nor a metric for a path that it does not serve', async () => {
    const { server } = buildProbePort(service.app);
    const unmatched = async () =>
      (await server.inject('/metrics')).body.match(/^http_server_request_duration_seconds_count\{.*$/gm);
    const before = await unmatched();
    lines.length = 0;
    const answer = await server.inject({
      method: 'GET',
      url: '/Ada/Lovelace',
      headers: { 'x-request-id': 'p' },
    });
    const after = await unmatched();
    await server.close();
    expect(answer.statusCode).toBe(404);
    const written = lines.map((line) => JSON.parse(line));
    expect(written.filter(({ request_id: id }) => id === 'p')).toEqual([
      {
        level: 'debug',
        time: expect.any(Number),
        method: 'GET',
        status: 404,
        request_id: 'p',
        msg: 'no such path on the probe port',
      },
    ]);
    expect(after).toEqual(before);
  });
});
