import { useUrlState } from '../base/url-state.ts';

/** Both ends are included, in milliseconds. */
export interface ZoomRange {
  readonly from: number;
  readonly to: number;
}

interface Zoom {
  readonly range: ZoomRange | undefined;
  /** Undefined shows everything again. A step of the browser's history, so that "back" zooms out. */
  readonly setRange: (range: ZoomRange | undefined) => void;
}

/** The part of time that the charts of a page show, all of them the same. It is in the URL: `zoom=FROM..TO`. */
export function useZoom(): Zoom {
  const [{ zoom }, setState] = useUrlState();
  return {
    range: parseZoom(zoom),
    setRange: (range) => setState({ zoom: range && printZoom(range) }, { replace: false }),
  };
}

function parseZoom(text: string | undefined): ZoomRange | undefined {
  const [from = Number.NaN, to = Number.NaN] = (text ?? '').split('..').map((end) => Date.parse(end));
  return from <= to ? { from, to } : undefined;
}

const printZoom = ({ from, to }: ZoomRange): string => `${printEnd(from)}..${printEnd(to)}`;

/** Midnights as a date: most charts have one value a day. */
const printEnd = (at: number): string => new Date(at).toISOString().replace(/T00:00:00\.000Z$/, '');

export const isWithin = ({ at }: { readonly at: number }, range: ZoomRange | undefined): boolean =>
  !range || (at >= range.from && at <= range.to);
