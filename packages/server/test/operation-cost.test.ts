import { beforeAll, describe, expect, it } from 'vitest';
import { buildRouteTable } from '../src/route-table.ts';
import { fileTypeOf } from '../src/platform/http/file-response.ts';
import type { RouteRow } from '../src/platform/http/http.ts';
import { COST_RULES, costRuleOf } from '../src/platform/http/operation-cost.ts';

let routes: readonly RouteRow[];
beforeAll(async () => {
  ({ routes } = await buildRouteTable(new URL('../', import.meta.url)));
});

const named = (operationId: string): RouteRow => {
  const row = routes.find(({ schema }) => schema.operationId === operationId);
  if (!row) throw new Error(`No operation ${operationId}`);
  return row;
};

describe('the cost of an operation', () => {
  it('uses every rule of the table', () => {
    const used = new Set(routes.map((row) => costRuleOf(row).name));
    expect([...used].toSorted()).toEqual(COST_RULES.map(({ name }) => name).toSorted());
  });

  // prettier-ignore
  it.each([
    ['createLabReportParserJob', 'upload', 10],
    ['pushTimeseries',           'batch',   5],
    ['queryUser',                'query',   5],
    ['getResultPdf',             'file',    5],
    ['createUser',               'write',   2],
    ['createTeam',               'write',   2],
    ['listTeams',                'list',    2],
    ['listOrdersUnversioned',    'list',    2],
    ['getHeartrateGrouped',      'list',    2],
    ['getOrder',                 'read',    1],
    ['getTeam',                  'read',    1],
  ])('of %s is that of a %s', (operationId, rule, cost) => {
    expect(costRuleOf(named(operationId))).toMatchObject({ name: rule, cost });
  });

  it('is higher for every upload, batch, file and change than for a read', () => {
    const least = ({ method, schema }: RouteRow): number => {
      if (schema.multipart) return 10;
      const isFile = Object.values(schema.response).some((response) => fileTypeOf(response) !== undefined);
      if (schema.lines || isFile) return 5;
      return method === 'GET' ? 1 : 2;
    };
    const cheap = routes.filter((row) => costRuleOf(row).cost < least(row));
    expect(cheap.map(({ schema }) => schema.operationId)).toEqual([]);
    expect(routes.length).toBeGreaterThan(300);
  });

  it('is that of a list for every page of many items', () => {
    const pages = routes.filter(
      ({ method, schema }) => method === 'GET' && /^list|Grouped$/.test(schema.operationId),
    );
    const cheap = pages.filter((row) => costRuleOf(row).cost < 2);
    expect(cheap.map(({ schema }) => schema.operationId)).toEqual([]);
  });
});
