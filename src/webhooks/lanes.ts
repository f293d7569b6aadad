/** How many messages to one endpoint may be on their way at once. */
const CAP_AT_FIRST = 10;
const CAP_MIN = 2;
const CAP_MAX = 64;
/** Who answers within this time may be given more. */
const QUICK_MS = 1000;
/** Idle lanes are remembered up to this many. */
const REMEMBERED_MAX = 10_000;

interface Lane {
  busy: number;
  cap: number;
}

export interface Lanes {
  /** `troubled`: the endpoint has failed since its last success, so its lane begins narrow. */
  start(endpointId: string, troubled: boolean): void;
  finish(endpointId: string, answer: { ok: boolean; durationMs: number }): void;
  /** The room of every lane that is known; all others have `ROOM_AT_FIRST`, or `ROOM_IN_TROUBLE`. */
  rooms(): { ids: string[]; rooms: number[] };
}

export const ROOM_AT_FIRST = CAP_AT_FIRST;
export const ROOM_IN_TROUBLE = CAP_MIN;

/**
 * One lane an endpoint, so that who is slow delays nobody else. A lane grows by one with every quick success
 * and halves with every failure: a receiver gets what it can take, and one in trouble is left in peace.
 */
export function openLanes(): Lanes {
  const lanes = new Map<string, Lane>();
  const laneOf = (id: string, cap = CAP_AT_FIRST): Lane => {
    const known = lanes.get(id);
    if (known) return known;
    const lane = { busy: 0, cap };
    lanes.set(id, lane);
    return lane;
  };
  return {
    start: (id, troubled) => {
      laneOf(id, troubled ? CAP_MIN : CAP_AT_FIRST).busy += 1;
    },
    finish: (id, { ok, durationMs }) => {
      const lane = laneOf(id);
      lane.busy -= 1;
      if (!ok) lane.cap = Math.max(CAP_MIN, Math.floor(lane.cap / 2));
      else if (durationMs < QUICK_MS) lane.cap = Math.min(CAP_MAX, lane.cap + 1);
      if (lane.busy === 0 && (lane.cap === CAP_AT_FIRST || lanes.size > REMEMBERED_MAX)) lanes.delete(id);
    },
    rooms: () => {
      const entries = [...lanes];
      return {
        ids: entries.map(([id]) => id),
        rooms: entries.map(([, { busy, cap }]) => Math.max(0, cap - busy)),
      };
    },
  };
}
