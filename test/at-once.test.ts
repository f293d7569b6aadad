import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House } from './house.ts';
import { openRouteSamples, type RouteSamples } from './route-samples.ts';

let house: House;
let samples: RouteSamples;

beforeAll(async () => {
  house = await openHouse();
  samples = await openRouteSamples(house);
});
afterAll(() => house.close());

const TIMES = 3;

describe('no route falls', () => {
  it.each([['POST'], ['PUT'], ['PATCH'], ['DELETE']])(
    'when the same is asked several times at once: %s',
    async (method) => {
      const { key, managementKey } = samples.owner;
      const fallen: string[] = [];
      const routes = house.http.routes.filter(
        (route) => route.method === method && (route.scope === 'team' || route.scope === 'management'),
      );
      for (const [index, route] of routes.entries()) {
        const { url, body } = samples.callOf(route);
        const ask = async () => {
          const answer = await house.http.server.inject({
            method: route.method,
            url,
            headers: {
              ...(route.scope === 'team'
                ? { 'x-service-api-key': key }
                : { 'x-management-key': managementKey }),
              ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            },
            remoteAddress: `10.1.${index >> 8}.${index & 255}`,
            ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
          });
          return answer.statusCode;
        };
        const statuses = await Promise.all(Array.from({ length: TIMES }, ask));
        if (statuses.some((status) => status >= 500))
          fallen.push(`${method} ${route.path}: ${statuses.join(' ')}`);
      }
      expect(fallen).toEqual([]);
    },
  );
});
