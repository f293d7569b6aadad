import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { connectUser, standInSettings, setHistoricalDays } from '../../../test/wearable-links.ts';
import {
  CLIENT,
  openStandIn,
  type StandIn,
  type WireProtocol,
} from '../../../test/wearable-providers/stand-in.ts';
import { fitbitProtocol } from '../../../test/wearable-providers/fitbit.ts';
import { ouraProtocol } from '../../../test/wearable-providers/oura.ts';
import { whoopProtocol } from '../../../test/wearable-providers/whoop.ts';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { pullResource } from '../pulls/pull-resource.ts';
import { authorizeConnection } from './grants.ts';

/** The valid access token: any other cannot revoke the grant. */
let living: string | undefined;
let isAway = false;
const strictWhoop: WireProtocol = {
  ...whoopProtocol,
  tokenAnswer: (issued) => {
    living = issued.accessToken;
    return whoopProtocol.tokenAnswer(issued);
  },
  revoke: (asked) => {
    const token = whoopProtocol.revoke?.(asked);
    if (token === undefined || token !== living || isAway) return undefined;
    living = undefined;
    return token;
  },
  answerUser: (asked, standIn) => (isAway ? { status: 500 } : whoopProtocol.answerUser(asked, standIn)),
};
const endAccess = () => {
  whoop.expireAccessTokens();
  living = undefined;
};

/** A test simulates days of a connection: dozens of jobs with their requests in sequence. */
const PATIENCE_MS = 60_000;

let service: TestService;
let oura: StandIn;
let whoop: StandIn;
let fitbit: StandIn;
beforeAll(async () => {
  oura = await openStandIn(ouraProtocol);
  whoop = await openStandIn(strictWhoop);
  fitbit = await openStandIn(fitbitProtocol);
  service = await openTestService(standInSettings(oura, whoop, fitbit));
});
afterEach(async () => {
  isAway = false;
  await service.ownerPool.query(`delete from timer where job like 'wearables.%'`);
});
afterAll(async () => {
  await service.close();
  await Promise.all([oura.close(), whoop.close(), fitbit.close()]);
});

interface LinkedUser {
  readonly team: TestTeam;
  readonly user: string;
  readonly id: string;
}

/** A connected user whose history has been pulled. */
async function openUser(standIn: StandIn): Promise<LinkedUser> {
  const team = await service.team();
  await setHistoricalDays(team, 1, standIn);
  const user = await team.user();
  await connectUser({ service, team, standIn }, user);
  await service.settle();
  const { rows } = await service.ownerPool.query('select id from connection where user_id = $1', [user]);
  await service.ownerPool.query(`delete from timer where job like 'wearables.%'`);
  return { team, user, id: rows[0].id };
}

/** The test service, with hooks around the token refresh of a provider. */
function withRefresh(slug: string, around: (real: WearableProvider) => WearableProvider['refresh']): App {
  const real = service.app.wearableProviders.find(slug);
  if (!real) throw new Error(`There is no ${slug}`);
  const body = { ...real, refresh: around(real) };
  return { ...service.app, wearableProviders: { ...service.app.wearableProviders, find: () => body } };
}

const refreshTokenOf = async ({ team }: LinkedUser, provider: string): Promise<string> =>
  (await team.post('/v2/link/bulk_export', { provider })).json.data[0].refresh_token;

/** The response of the provider to a refresh token. */
async function answerTo({ url, protocol }: StandIn, refreshToken: string): Promise<number> {
  const { clientId, clientSecret } = CLIENT;
  const answer = await fetch(url + protocol.token, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  });
  return answer.status;
}

describe('a grant that is renewed while the user connects again', { timeout: PATIENCE_MS }, () => {
  it('does not fail the connection: the new grant is used', async () => {
    const { team, user, id } = await openUser(oura);
    service.clock.move(2 * DAY);
    let renewals = 0;
    const app = withRefresh('oura', (real) => async (...given) => {
      renewals += 1;
      oura.revokeGrants();
      await connectUser({ service, team, standIn: oura }, user);
      return real.refresh(...given);
    });
    const now = service.clock.now();
    const asked = { resource: 'activity', span: { from: later(now, -DAY), to: now }, emitEvents: true };
    const outcome = await pullResource(app, team.tenant, { ...asked, connectionId: id });
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(renewals).toBe(1);
    await service.settle();
    const [shown] = (await team.get(`/v2/user/providers/${user}`)).json.providers;
    expect(shown).toMatchObject({ status: 'connected', error_details: null });
  });
});

describe('a grant that is renewed during a database outage', { timeout: PATIENCE_MS }, () => {
  it('is saved as soon as the database is back', async () => {
    const linked = await openUser(oura);
    service.clock.move(2 * DAY);
    await service.ownerPool.query(`
      create sequence falls;
      create function fall() returns trigger language plpgsql security definer as $$
        begin
          if nextval('public.falls') = 1 then raise exception 'away'; end if;
          return new;
        end $$;
      create trigger falling before update of private on connection
        for each row when (new.private is distinct from old.private) execute function fall()`);
    try {
      const asking = await authorizeConnection(service.app, linked.team.tenant, { id: linked.id });
      const kept = await refreshTokenOf(linked, 'oura');
      expect(kept).toBe(asking?.grant.refreshToken);
      expect(await answerTo(oura, kept)).toBe(200);
    } finally {
      await service.ownerPool.query(
        'drop trigger falling on connection; drop function fall; drop sequence falls',
      );
    }
  });
});

describe('a grant whose application credentials are rejected', { timeout: PATIENCE_MS }, () => {
  const askNow = async ({ team, id }: LinkedUser) => {
    const now = service.clock.now();
    const span = { from: later(now, -DAY), to: now };
    return pullResource(service.app, team.tenant, {
      resource: 'activity',
      span,
      emitEvents: true,
      connectionId: id,
    });
  };
  const setSecret = async ({ team }: LinkedUser, secret: string) => {
    const path = `/v1/org/${team.orgId}/team_custom_credentials/sandbox/us`;
    const given = { provider: 'oura', client_id: CLIENT.clientId, client_secret: secret };
    const set = await team.management.post(path, { team_id: team.tenant.teamId, ...given });
    expect(set.status).toBe(200);
  };
  const shown = async ({ team, user }: LinkedUser) =>
    (await team.get(`/v2/user/providers/${user}`)).json.providers[0];

  it('works again when the credentials are fixed', async () => {
    const linked = await openUser(oura);
    await setSecret(linked, 'a slip of the pen');
    service.clock.move(2 * DAY);
    expect(await askNow(linked)).toMatchObject({ kind: 'later', afterSeconds: 3600 });
    expect(await shown(linked)).toMatchObject({ status: 'connected' });
    await setSecret(linked, CLIENT.clientSecret);
    expect(await askNow(linked)).toMatchObject({ kind: 'done' });
  });

  it('fails with an event after a week', async () => {
    const linked = await openUser(oura);
    await setSecret(linked, 'a slip of the pen');
    service.clock.move(9 * DAY);
    expect(await askNow(linked)).toEqual({ kind: 'over' });
    const error_details = { error_type: 'provider_credential_error' };
    expect(await shown(linked)).toMatchObject({ status: 'error', error_details });
  });
});

describe('the grant of a removed connection', { timeout: PATIENCE_MS }, () => {
  it('is revoked when its access token was rejected', async () => {
    const linked = await openUser(whoop);
    const refreshToken = await refreshTokenOf(linked, 'whoop_v2');
    endAccess();
    expect((await linked.team.delete(`/v2/user/${linked.user}/whoop_v2`)).status).toBe(200);
    await service.settle();
    expect(whoop.calls.slice(-3)).toEqual([
      'DELETE /developer/v2/user/access',
      'POST /oauth/oauth2/token',
      'DELETE /developer/v2/user/access',
    ]);
    expect(await answerTo(whoop, refreshToken)).toBe(400);
    const left = await service.ownerPool.query('select 1 from connection where id = $1', [linked.id]);
    expect(left.rows).toEqual([]);
  });

  it('is revoked when its access token expired', async () => {
    const { team, user } = await openUser(oura);
    service.clock.move(2 * DAY);
    const before = oura.calls.length;
    await team.delete(`/v2/user/${user}/oura`);
    await service.settle();
    expect(oura.calls.slice(before)).toEqual(['POST /oauth/token', 'POST /oauth/revoke']);
  });

  it('is revoked with the renewed token after an outage of the provider', async () => {
    const linked = await openUser(whoop);
    endAccess();
    isAway = true;
    await linked.team.delete(`/v2/user/${linked.user}/whoop_v2`);
    await service.settle();
    isAway = false;
    const before = whoop.calls.length;
    service.clock.move(MINUTE);
    await service.settle();
    expect(whoop.calls.slice(before)).toEqual(['DELETE /developer/v2/user/access']);
    expect(living).toBeUndefined();
  });

  it('is revoked when it was being renewed', async () => {
    const { team, user, id } = await openUser(fitbit);
    service.clock.move(2 * DAY);
    let renewed = '';
    const app = withRefresh('fitbit', (real) => async (...given) => {
      const grant = await real.refresh(...given);
      renewed = grant.refreshToken ?? '';
      expect((await team.delete(`/v2/user/${user}/fitbit`)).status).toBe(200);
      return grant;
    });
    await authorizeConnection(app, team.tenant, { id });
    await service.settle();
    expect(fitbit.calls.at(-1)).toBe('POST /revoke');
    expect(await answerTo(fitbit, renewed)).toBe(400);
  });
});
