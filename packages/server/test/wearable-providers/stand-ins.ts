import { openStandIn, type StandIn, type WireProtocol } from './stand-in.ts';
import { dexcomProtocol } from './dexcom.ts';
import { fitbitProtocol } from './fitbit.ts';
import { ouraProtocol } from './oura.ts';
import { polarProtocol } from './polar.ts';
import { stravaProtocol } from './strava.ts';
import { whoopProtocol } from './whoop.ts';
import { withingsProtocol } from './withings.ts';

/** The protocols of all implemented providers; stand-ins are real HTTP servers. */
const PROTOCOLS: readonly WireProtocol[] = [
  fitbitProtocol,
  ouraProtocol,
  withingsProtocol,
  stravaProtocol,
  whoopProtocol,
  polarProtocol,
  dexcomProtocol,
];

export interface StandIns {
  readonly of: (slug: string) => StandIn;
  /** Their addresses by slug, as `createWearableProviders({ origins })` takes them. */
  readonly at: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openStandIns(): Promise<StandIns> {
  const opened = new Map(
    await Promise.all(PROTOCOLS.map(async (wire) => [wire.slug, await openStandIn(wire)] as const)),
  );
  return {
    of: (slug) => {
      const standIn = opened.get(slug);
      if (!standIn) throw new Error(`${slug} has no stand-in`);
      return standIn;
    },
    at: Object.fromEntries([...opened].map(([slug, { url }]) => [slug, url])),
    close: async () => {
      await Promise.all([...opened.values()].map((standIn) => standIn.close()));
    },
  };
}
