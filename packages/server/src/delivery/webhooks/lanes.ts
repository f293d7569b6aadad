/** How many messages to one endpoint may be in flight. */
const INITIAL_CAP = 10;
const CAP_MIN = 2;
const CAP_MAX = 64;
/** A receiver that responds within this time may get more. */
const QUICK_MS = 1000;
/** The maximum number of remembered idle lanes. */
const LANES_MAX = 10_000;

interface EndpointLane {
  busy: number;
  cap: number;
}

export interface EndpointLanes {
  /** `troubled`: the endpoint has failed since its last success, so its lane starts narrow. */
  start(endpointId: string, troubled: boolean): void;
  finish(endpointId: string, answer: { ok: boolean; durationMs: number }): void;
  /** The room of every known lane; all others have `INITIAL_ROOM`, or `TROUBLED_ROOM`. */
  rooms(): { ids: string[]; rooms: number[] };
}

export const INITIAL_ROOM = INITIAL_CAP;
export const TROUBLED_ROOM = CAP_MIN;

/**
 * One lane per endpoint, so that a slow one delays no others. Additive increase, multiplicative decrease: a lane grows
 * by one with every fast success and halves with every failure.
 */
export function openLanes(): EndpointLanes {
  const lanes = new Map<string, EndpointLane>();
  const laneOf = (id: string, cap = INITIAL_CAP): EndpointLane => {
    const known = lanes.get(id);
    if (known) return known;
    const lane = { busy: 0, cap };
    lanes.set(id, lane);
    return lane;
  };
  return {
    start: (id, troubled) => {
      laneOf(id, troubled ? CAP_MIN : INITIAL_CAP).busy += 1;
    },
    finish: (id, { ok, durationMs }) => {
      const lane = laneOf(id);
      lane.busy -= 1;
      if (!ok) lane.cap = Math.max(CAP_MIN, Math.floor(lane.cap / 2));
      else if (durationMs < QUICK_MS) lane.cap = Math.min(CAP_MAX, lane.cap + 1);
      if (lane.busy === 0 && (lane.cap === INITIAL_CAP || lanes.size > LANES_MAX)) lanes.delete(id);
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
