import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOtlpReceiver, type OtlpReceiver } from './otlp.ts';
import { openTestService, type TestService } from './service.ts';
import { waitUntil } from './webhook-fixture.ts';

let otlp: OtlpReceiver;
let service: TestService;
const lines: string[] = [];
beforeAll(async () => {
  otlp = await openOtlpReceiver();
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    OTEL_BLRP_SCHEDULE_DELAY: '20',
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
  };
  service = await openTestService(settings, { write: (line) => void lines.push(line) });
});
afterAll(async () => {
  await service.close();
  await otlp.close();
});

interface ExportedLine {
  readonly timeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly traceId?: string;
  readonly spanId?: string;
}

const exportedLines = (): ExportedLine[] =>
  otlp.bodies
    .filter(({ path }) => path === '/v1/logs')
    .flatMap(({ text }) => JSON.parse(text).resourceLogs)
    .flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords);

const written = () => lines.map((line) => JSON.parse(line));
const requests = (of: string) => otlp.bodies.filter(({ path }) => path === of).length;

describe('log lines by OTLP', () => {
  it('are the lines of standard output, with severity, time and the trace of the request', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await service.client({}).get('/v2/user', { traceparent, 'x-request-id': 'logged' });
    const find = () =>
      exportedLines().find(({ attributes }) =>
        attributes.some(({ value }) => value['stringValue'] === 'logged'),
      );
    await waitUntil(() => find() !== undefined);
    const line = written().find(({ request_id: id }) => id === 'logged');
    expect(line).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c' });
    const exported = find();
    expect(exported).toMatchObject({
      timeUnixNano: `${line.time}000000`,
      severityNumber: 9,
      severityText: 'INFO',
      body: { stringValue: 'request' },
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: line.span_id,
    });
    const { level: _level, time: _time, msg: _msg, trace_id: _trace, span_id: _span, ...fields } = line;
    expect(exported?.attributes.map(({ key }) => key).toSorted()).toEqual(Object.keys(fields).toSorted());
  });
});

describe('an exporter that fails', () => {
  const changes = () =>
    written()
      .filter(({ msg }) => String(msg).startsWith('exporting by OTLP'))
      .map(({ level, signal, msg }) => `${level} ${signal} ${msg}`)
      .toSorted();

  it('writes one line when it begins to fail and one when it works again, and not one a batch', async () => {
    otlp.status = 400;
    for (let round = 0; round < 3; round += 1) {
      const before = { traces: requests('/v1/traces'), logs: requests('/v1/logs') };
      await service.client({}).get('/v2/user');
      await waitUntil(() => requests('/v1/traces') > before.traces && requests('/v1/logs') > before.logs);
    }
    await waitUntil(() => changes().length >= 2);
    expect(changes()).toEqual([
      'warn logs exporting by OTLP fails; what is not sent is lost',
      'warn traces exporting by OTLP fails; what is not sent is lost',
    ]);
    otlp.status = 200;
    await service.client({}).get('/v2/user');
    await waitUntil(() => changes().length >= 4);
    expect(changes()).toEqual([
      'warn logs exporting by OTLP fails; what is not sent is lost',
      'warn logs exporting by OTLP works again',
      'warn traces exporting by OTLP fails; what is not sent is lost',
      'warn traces exporting by OTLP works again',
    ]);
  });
});
