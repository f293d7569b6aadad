import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inconsistentPdf, uploadReport, reportPdf, waitUntilRead } from '../../test/report-upload.ts';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';

/** The response of the stand-in extractor, and the prompts that it received. */
let answer: { status: number; results: unknown[] } = { status: 200, results: [] };
const asked: string[] = [];
const standIn = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    asked.push(JSON.parse(body).messages[1].content);
    const content = JSON.stringify({ results: answer.results });
    response.writeHead(answer.status).end(JSON.stringify({ choices: [{ message: { content } }] }));
  });
});

let service: TestService;
let team: TestTeam;
beforeAll(async () => {
  await new Promise<void>((resolve) => standIn.listen(0, '127.0.0.1', resolve));
  service = await openTestService({
    EXTRACTOR_URL: `http://127.0.0.1:${(standIn.address() as AddressInfo).port}/v1/`,
    EXTRACTOR_MODEL: 'local',
  });
  team = await service.team();
});
afterAll(async () => {
  await service.close();
  standIn.closeAllConnections();
  standIn.close();
});

const jobWith = async (bytes: Buffer) => {
  const fields = { user_id: await team.user() };
  const { json } = await uploadReport(service, team, { files: [{ bytes }], fields });
  const { status, data } = await waitUntilRead(team, json.id);
  const lines = data.results.map((line: Record<string, unknown>) => [
    line['test_name'],
    line['value'],
    line['review_reasons'],
  ]);
  return { status, lines };
};

const PROSE = ['we found that Ferritin of 12 is low', '', '', '', ''];
const READ = [
  ['Sodium', '140', []],
  ['Potassium', '4.1', []],
];
const DOUBTED = ['Glucose', '112', ['flag_disagrees_with_range']];

/** Four processes start in sequence, at a lower priority than everything else. */
const PATIENCE_MS = 60_000;

it(
  'an extractor is called for hard reports, used where the page confirms it, and optional',
  { timeout: PATIENCE_MS },
  async () => {
    const line = { unit: null, reference_range: null, flag: null };
    answer = {
      status: 200,
      results: [
        { ...line, name: 'Ferritin', value: '12' },
        { ...line, name: 'Cortisol', value: '12' },
        { ...line, name: 'Sodium', value: '141' },
      ],
    };
    const rows = [
      ['Sodium', '140', '', 'mmol/L', '135 - 145'],
      ['Glucose', '112', 'L', 'mg/dL', '70 - 99'],
      PROSE,
    ];
    expect(await jobWith(await reportPdf(rows))).toEqual({
      status: 'completed',
      lines: [
        ['Sodium', '140', []],
        DOUBTED,
        ['Ferritin', '12', expect.arrayContaining(['read_by_extractor'])],
      ],
    });
    expect(asked).toEqual([expect.stringContaining('Glucose\t112\tL\tmg/dL')]);

    answer = { status: 500, results: [] };
    expect(await jobWith(await inconsistentPdf())).toEqual({
      status: 'completed',
      lines: [...READ, DOUBTED],
    });
    expect(asked).toHaveLength(2);
  },
);
