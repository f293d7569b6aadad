import { openStandIn, type StandIn, type Wire } from './core.ts';
import { dexcomWire } from './dexcom.ts';
import { fitbitWire } from './fitbit.ts';
import { ouraWire } from './oura.ts';
import { polarWire } from './polar.ts';
import { stravaWire } from './strava.ts';
import { whoopWire } from './whoop.ts';
import { withingsWire } from './withings.ts';

/** One for each provider that has a body: real HTTP servers that speak its wire. */
export const WIRES: readonly Wire[] = [
  fitbitWire,
  ouraWire,
  withingsWire,
  stravaWire,
  whoopWire,
  polarWire,
  dexcomWire,
];

export interface StandIns {
  readonly of: (slug: string) => StandIn;
  /** Their addresses by slug, as `wearableProviders({ at })` takes them. */
  readonly at: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openStandIns(): Promise<StandIns> {
  const opened = new Map(
    await Promise.all(WIRES.map(async (wire) => [wire.slug, await openStandIn(wire)] as const)),
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
