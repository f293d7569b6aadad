import { encode } from 'uqr';

const QUIET_ZONE = 3;

/** A QR code, drawn here: its text is a secret and is sent nowhere. Dark on white in both themes, as cameras expect. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={192}
      height={192}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" rx={1} />
      <path d={path} fill="#111111" />
    </svg>
  );
}
