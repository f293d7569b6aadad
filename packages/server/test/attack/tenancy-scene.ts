import { expect } from 'vitest';
import type { RouteRow } from '../../src/platform/http/http.ts';
import { decidedForManagement, decidedForTeam } from '../../../../tools/drift/authorization-page.ts';
import type { AttackScene } from './scene.ts';
import { readTeamState } from './team-state.ts';
import { nextAddress, type AttackStage } from './stage.ts';

/** Calls every operation for the resources of one team, with every credential of others. */
export const tenancyScene: AttackScene = {
  name: 'tenancy',
  title: 'every operation with the credentials of others',
  run: async (stage) => {
    await waitUntilReportIsRead(stage);
    const before = await readTeamState(stage);
    const findings: string[] = [];
    let calls = 0;
    for (const scope of ['team', 'management'] as const) {
      for (const [kind, headers] of Object.entries(stage.credentials[scope])) {
        for (const route of stage.routes.filter((one) => one.scope === scope)) {
          calls += 1;
          const leak = await findLeak(stage, route, headers);
          if (leak) findings.push(`${kind}: ${route.method} ${route.path}: ${leak}`);
        }
      }
    }
    const after = await readTeamState(stage);
    const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
    for (const table of changed) findings.push(`rows of the team changed in ${table}`);
    return {
      figures: {
        operations: String(stage.routes.length),
        calls: String(calls),
        leaks: String(findings.length - changed.length),
        'tables changed': String(changed.length),
      },
      findings,
    };
  },
};

/** The uploaded report is read in the background, which changes rows of the team. */
async function waitUntilReportIsRead(stage: AttackStage): Promise<void> {
  const { owner, theirs } = stage.samples;
  const path = `/lab_report/v1/parser/job/${theirs['job_id']}`;
  const headers = { 'x-service-api-key': owner.key };
  const isRead = async () => {
    const { text } = await stage.send({ method: 'GET', path, headers });
    return !/"status":"(upload_pending|started)"/.test(text);
  };
  await expect.poll(isRead, { timeout: 120_000 }).toBe(true);
}

/** What the attackers have put into their requests. */
const asked = new Set<string>();

/** What the response tells about the attacked team, or that it was a success where it cannot be about the caller. */
async function findLeak(
  stage: AttackStage,
  route: RouteRow,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { method, url, body } = stage.samples.callOf(route);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const { status, text } = await stage.send({
    method,
    path: url,
    headers: {
      ...headers,
      'x-forwarded-for': nextAddress(),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { body: payload }),
  });
  // 503 is a capability that an environment does not have.
  if (status >= 500 && status !== 503) return `answered ${status}: ${text.slice(0, 200)}`;
  const given = `${url} ${payload ?? ''}`;
  for (const secret of secretsOf(stage)) if (given.includes(secret)) asked.add(secret);
  // The log of requests tells a caller what the caller has asked for before.
  const isKnown = (secret: string) =>
    given.includes(secret) || (route.schema.operationId === 'listRequests' && asked.has(secret));
  const told = secretsOf(stage).find((secret) => text.includes(secret) && !isKnown(secret));
  if (told !== undefined) return `${status} tells ${told}`;
  return status < 300 && !isAboutCaller(route) ? `answered ${status}: ${text.slice(0, 200)}` : undefined;
}

/** Ids that belong to the attacked team alone. */
const secretsOf = ({ samples }: AttackStage): readonly string[] =>
  SECRET_IDS.map((name) => samples.theirs[name]).filter((id) => id !== undefined);

const SECRET_IDS = [
  'user_id',
  'order_id',
  'transaction_id',
  'webhook_id',
  'opening_id',
  'job_id',
  'raw_result_id',
  'file_id',
  'query_id',
  'lab_connection_id',
  'lab_message_id',
  'critical_result_id',
  'document_id',
  'message_id',
  'attempt_id',
] as const;

/** Whether any caller with a valid key gets an answer about its own resources. */
const isAboutCaller = (route: RouteRow): boolean =>
  route.scope === 'team'
    ? [decidedForTeam(route).otherTeam, decidedForTeam(route).otherEnvironment].includes('own')
    : decidedForManagement(route).otherTeam === 'own';
