import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../../test/house.ts';
import { connected, linkedTo, readBack } from '../../../test/linked.ts';
import { CLIENT, openStandIn, type StandIn, type Wire } from '../../../test/wearable-providers/core.ts';
import { fitbitWire } from '../../../test/wearable-providers/fitbit.ts';
import { ouraWire } from '../../../test/wearable-providers/oura.ts';
import { whoopWire } from '../../../test/wearable-providers/whoop.ts';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import type { App } from '../../app.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { askAndKeep } from '../pulls/ask.ts';
import { openForAsking } from './grants.ts';

/** The access token that lives: who comes with another cannot take the grant back. */
let living: string | undefined;
let isAway = false;
const strictWhoop: Wire = {
  ...whoopWire,
  tokenAnswer: (issued) => {
    living = issued.accessToken;
    return whoopWire.tokenAnswer(issued);
  },
  revoke: (asked) => {
    const token = whoopWire.revoke?.(asked);
    if (token === undefined || token !== living || isAway) return undefined;
    living = undefined;
    return token;
  },
  data: (asked, standIn) => (isAway ? { status: 500 } : whoopWire.data(asked, standIn)),
};
const endAccess = () => {
  whoop.expire();
  living = undefined;
};

/** A test walks through days of a connection: dozens of jobs with their requests, one after the other. */
const PATIENCE_MS = 60_000;

let house: House;
let oura: StandIn;
let whoop: StandIn;
let fitbit: StandIn;
beforeAll(async () => {
  oura = await openStandIn(ouraWire);
  whoop = await openStandIn(strictWhoop);
  fitbit = await openStandIn(fitbitWire);
  house = await openHouse(linkedTo(oura, whoop, fitbit));
});
afterEach(async () => {
  isAway = false;
  await house.owner.query(`delete from timer where job like 'wearables.%'`);
});
afterAll(async () => {
  await house.close();
  await Promise.all([oura.close(), whoop.close(), fitbit.close()]);
});

interface Linked {
  readonly team: TeamInHand;
  readonly user: string;
  readonly id: string;
}

/** A user who is connected, and whose past is here. */
async function openUser(standIn: StandIn): Promise<Linked> {
  const team = await house.team();
  await readBack(team, 1, standIn);
  const user = await team.user();
  await connected({ house, team, standIn }, user);
  await house.settle();
  const { rows } = await house.owner.query('select id from connection where user_id = $1', [user]);
  await house.owner.query(`delete from timer where job like 'wearables.%'`);
  return { team, user, id: rows[0].id };
}

/** The house, in which something happens around the refresh of a provider's tokens. */
function withRefresh(slug: string, around: (real: WearableProvider) => WearableProvider['refresh']): App {
  const real = house.app.wearableProviders.find(slug);
  if (!real) throw new Error(`There is no ${slug}`);
  const body = { ...real, refresh: around(real) };
  return { ...house.app, wearableProviders: { ...house.app.wearableProviders, find: () => body } };
}

const refreshTokenOf = async ({ team }: Linked, provider: string): Promise<string> =>
  (await team.post('/v2/link/bulk_export', { provider })).json.data[0].refresh_token;

/** What the provider answers to who comes with a refresh token. */
async function answerTo({ url, wire }: StandIn, refreshToken: string): Promise<number> {
  const { clientId, clientSecret } = CLIENT;
  const answer = await fetch(url + wire.token, {
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

describe('a grant that is renewed while the user connects anew', { timeout: PATIENCE_MS }, () => {
  it('does not fail the connection when it is refused: the new one is asked with', async () => {
    const { team, user, id } = await openUser(oura);
    house.clock.move(2 * DAY);
    let renewals = 0;
    const app = withRefresh('oura', (real) => async (...given) => {
      renewals += 1;
      oura.forget();
      await connected({ house, team, standIn: oura }, user);
      return real.refresh(...given);
    });
    const now = house.clock.now();
    const asked = { resource: 'activity', span: { from: later(now, -DAY), to: now }, told: true };
    const outcome = await askAndKeep(app, team.tenant, { ...asked, connectionId: id });
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(renewals).toBe(1);
    await house.settle();
    const [shown] = (await team.get(`/v2/user/providers/${user}`)).json.providers;
    expect(shown).toMatchObject({ status: 'connected', error_details: null });
  });
});

describe('a grant that is renewed while the database is away', { timeout: PATIENCE_MS }, () => {
  it('is kept as soon as it can be written down: the provider gives the new one once', async () => {
    const linked = await openUser(oura);
    house.clock.move(2 * DAY);
    await house.owner.query(`
      create sequence falls;
      create function fall() returns trigger language plpgsql security definer as $$
        begin
          if nextval('public.falls') = 1 then raise exception 'away'; end if;
          return new;
        end $$;
      create trigger falling before update of private on connection
        for each row when (new.private is distinct from old.private) execute function fall()`);
    try {
      const asking = await openForAsking(house.app, linked.team.tenant, { id: linked.id });
      const kept = await refreshTokenOf(linked, 'oura');
      expect(kept).toBe(asking?.grant.refreshToken);
      expect(await answerTo(oura, kept)).toBe(200);
    } finally {
      await house.owner.query('drop trigger falling on connection; drop function fall; drop sequence falls');
    }
  });
});

describe('a grant whose application the provider does not take', { timeout: PATIENCE_MS }, () => {
  const askNow = async ({ team, id }: Linked) => {
    const now = house.clock.now();
    const span = { from: later(now, -DAY), to: now };
    return askAndKeep(house.app, team.tenant, { resource: 'activity', span, told: true, connectionId: id });
  };
  const setSecret = async ({ team }: Linked, secret: string) => {
    const path = `/v1/org/${team.orgId}/team_custom_credentials/sandbox/us`;
    const given = { provider: 'oura', client_id: CLIENT.clientId, client_secret: secret };
    const set = await team.management.post(path, { team_id: team.tenant.teamId, ...given });
    expect(set.status).toBe(200);
  };
  const shown = async ({ team, user }: Linked) =>
    (await team.get(`/v2/user/providers/${user}`)).json.providers[0];

  it('is good again when somebody mends the mistake: the user has nothing to do', async () => {
    const linked = await openUser(oura);
    await setSecret(linked, 'a slip of the pen');
    house.clock.move(2 * DAY);
    expect(await askNow(linked)).toMatchObject({ kind: 'later', afterSeconds: 3600 });
    expect(await shown(linked)).toMatchObject({ status: 'connected' });
    await setSecret(linked, CLIENT.clientSecret);
    expect(await askNow(linked)).toMatchObject({ kind: 'done' });
  });

  it('is given up, and told, when nobody has mended it in a week', async () => {
    const linked = await openUser(oura);
    await setSecret(linked, 'a slip of the pen');
    house.clock.move(9 * DAY);
    expect(await askNow(linked)).toEqual({ kind: 'over' });
    const error_details = { error_type: 'provider_credential_error' };
    expect(await shown(linked)).toMatchObject({ status: 'error', error_details });
  });
});

describe('the grant of a connection that is taken away', { timeout: PATIENCE_MS }, () => {
  it('is taken back when its access token had ended', async () => {
    const linked = await openUser(whoop);
    const refreshToken = await refreshTokenOf(linked, 'whoop_v2');
    endAccess();
    expect((await linked.team.delete(`/v2/user/${linked.user}/whoop_v2`)).status).toBe(200);
    await house.settle();
    expect(whoop.calls.slice(-3)).toEqual([
      'DELETE /developer/v2/user/access',
      'POST /oauth/oauth2/token',
      'DELETE /developer/v2/user/access',
    ]);
    expect(await answerTo(whoop, refreshToken)).toBe(400);
    const left = await house.owner.query('select 1 from connection where id = $1', [linked.id]);
    expect(left.rows).toEqual([]);
  });

  it('is taken back where nothing says so but the clock', async () => {
    const { team, user } = await openUser(oura);
    house.clock.move(2 * DAY);
    const before = oura.calls.length;
    await team.delete(`/v2/user/${user}/oura`);
    await house.settle();
    expect(oura.calls.slice(before)).toEqual(['POST /oauth/token', 'POST /oauth/revoke']);
  });

  it('is taken back with the renewed one when the provider was away meanwhile', async () => {
    const linked = await openUser(whoop);
    endAccess();
    isAway = true;
    await linked.team.delete(`/v2/user/${linked.user}/whoop_v2`);
    await house.settle();
    isAway = false;
    const before = whoop.calls.length;
    house.clock.move(MINUTE);
    await house.settle();
    expect(whoop.calls.slice(before)).toEqual(['DELETE /developer/v2/user/access']);
    expect(living).toBeUndefined();
  });

  it('is taken back when it was just being renewed', async () => {
    const { team, user, id } = await openUser(fitbit);
    house.clock.move(2 * DAY);
    let renewed = '';
    const app = withRefresh('fitbit', (real) => async (...given) => {
      const grant = await real.refresh(...given);
      renewed = grant.refreshToken ?? '';
      expect((await team.delete(`/v2/user/${user}/fitbit`)).status).toBe(200);
      return grant;
    });
    await openForAsking(app, team.tenant, { id });
    await house.settle();
    expect(fitbit.calls.at(-1)).toBe('POST /oauth2/revoke');
    expect(await answerTo(fitbit, renewed)).toBe(400);
  });
});
