import { z } from 'zod';
import { DemoCallError } from './client.ts';
import { moveDemoClock } from './demo-clock.ts';
import type { DemoOptions } from './options.ts';
import type { DemoReceiver } from './receiver.ts';

/** The endpoints of a demo. */
interface DemoEndpoints {
  readonly ids: readonly string[];
  /** Those that are disabled at the end, because nothing receives at their URL any more. */
  readonly passing: readonly string[];
}

const FEW_EVENTS = ['labtest.result.critical', 'labtest.match_review.created'];
// prettier-ignore
const ENDPOINTS = [
  { path: '/healthy',    description: 'Demo: receives everything',        filter_types: null },
  { path: '/recovering', description: 'Demo: was down, and has recovered', filter_types: FEW_EVENTS },
  { path: '/failing',    description: 'Demo: is down',                     filter_types: FEW_EVENTS },
] as const;

const PASSING = ENDPOINTS.filter(({ path }) => path !== '/failing');

const webhooksOf = ({ orgId, teamId }: DemoOptions): string =>
  `/v1/org/${orgId}/team/${teamId}/sandbox/webhook`;

/** Creates the endpoints, or moves those of an earlier run to the receiver of this one. */
export async function createEndpoints(team: DemoOptions, receiver: DemoReceiver): Promise<DemoEndpoints> {
  const known = await listEndpoints(team);
  const ids: string[] = [];
  const passing: string[] = [];
  for (const { path, ...endpoint } of ENDPOINTS) {
    const body = { url: `${receiver.url}${path}`, disabled: false, ...endpoint };
    const before = known.get(endpoint.description);
    const call = before
      ? ({ method: 'PATCH', path: `${webhooksOf(team)}/${before.id}` } as const)
      : ({ method: 'POST', path: webhooksOf(team) } as const);
    try {
      const { id } = await team.client.management({ ...call, body, answer: z.object({ id: z.string() }) });
      ids.push(id);
      if (path !== '/failing') passing.push(id);
    } catch (error) {
      if (!(error instanceof DemoCallError)) throw error;
      // A service on another machine must not send to a private address.
      team.report(`a webhook endpoint was left out: ${error.message}`);
    }
  }
  return { ids, passing };
}

interface KnownEndpoint {
  readonly id: string;
  readonly disabled: boolean;
}

/** The endpoints of the team by description. */
async function listEndpoints(team: DemoOptions): Promise<ReadonlyMap<string | null, KnownEndpoint>> {
  const Endpoint = z.object({ id: z.string(), description: z.string().nullable(), disabled: z.boolean() });
  const answer = z.object({ data: z.array(Endpoint) });
  const path = `${webhooksOf(team)}?limit=250`;
  const { data } = await team.client.management({ method: 'GET', path, answer });
  return new Map(data.map((one) => [one.description, one]));
}

/** Whether a run came to its end: the last change that it makes is to disable its endpoints. */
export async function hasSettledEndpoints(team: DemoOptions): Promise<boolean> {
  const known = await listEndpoints(team);
  return PASSING.every(({ description }) => known.get(description)?.disabled === true);
}

const MINUTES_AHEAD = 10;

/** Lets the endpoint recover and waits for its next attempts. */
export async function settleEndpoints(
  team: DemoOptions,
  { passing }: DemoEndpoints,
  receiver: DemoReceiver,
): Promise<void> {
  // The first retry fails; the one after five minutes succeeds.
  await moveDemoClock(team, { advance_seconds: 10 });
  receiver.recover();
  await moveDemoClock(team, { advance_seconds: MINUTES_AHEAD * 60 });
  for (const id of passing) {
    await team.client.management({
      method: 'PATCH',
      path: `${webhooksOf(team)}/${id}`,
      body: { disabled: true },
      answer: z.unknown(),
    });
  }
}
