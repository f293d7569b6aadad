import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../../test/service.ts';
import type { ReportReadContext } from '../../adapters/lab-network/port.ts';
import { evictParsedMessage, takeParsedMessage, cacheParsedMessage } from './parsed-message-cache.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

const at: ReportReadContext = {
  lab: 'labcorp',
  accountNumber: '1',
  timeZone: 'America/New_York',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
const remember = (id: string, sizeBytes = 1000) =>
  cacheParsedMessage(service.app, id, { reports: [], at, sizeBytes });

describe('a cached parsed message', () => {
  it('is returned once', () => {
    remember('a');
    expect(takeParsedMessage(service.app, 'a', { ...at })).toEqual([]);
    expect(takeParsedMessage(service.app, 'a', at)).toBeUndefined();
  });

  // prettier-ignore
  it.each<[string, Partial<ReportReadContext>]>([
    ['laboratory', { lab: 'quest' }],
    ['account',    { accountNumber: null }],
    ['time zone',  { timeZone: 'UTC' }],
    ['moment',     { arrivedAt: new Date('2026-03-02T15:00:01Z') }],
  ])('is not returned if the %s has changed', (_what, changed) => {
    remember('b');
    expect(takeParsedMessage(service.app, 'b', { ...at, ...changed })).toBeUndefined();
  });

  it('is evicted for a repeated message', () => {
    remember('c');
    evictParsedMessage(service.app, 'c');
    expect(takeParsedMessage(service.app, 'c', at)).toBeUndefined();
  });

  it('is limited to the newest few megabytes', () => {
    const ids = Array.from({ length: 100 }, (_, index) => `d${index}`);
    for (const id of ids) remember(id, 1024 * 1024);
    const known = ids.filter((id) => takeParsedMessage(service.app, id, at) !== undefined);
    expect(known).toEqual(ids.slice(-known.length));
    expect(known.length).toBeLessThan(10);
    remember('whole', 1024 ** 3);
    expect(takeParsedMessage(service.app, 'whole', at)).toBeUndefined();
  });

  it('is not cached by a process that processes no messages', () => {
    const app = { ...service.app, config: { ...service.app.config, ROLE: 'api' as const } };
    cacheParsedMessage(app, 'e', { reports: [], at, sizeBytes: 1 });
    expect(takeParsedMessage(service.app, 'e', at)).toBeUndefined();
  });
});
