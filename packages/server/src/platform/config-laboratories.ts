import { z } from 'zod';
import { flag } from './config-flag.ts';
import { isLoopbackHost } from './loopback-host.ts';
import type { Environment } from './tenant.ts';

const PORT_RANGE = /^[1-9]\d{0,4}(-[1-9]\d{0,4})?$/;
const portRange = z.string().regex(PORT_RANGE, 'expected a port or a range such as 26000-26099').optional();
/** Ports of sandbox connections on a machine that only itself can reach. */
const LOOPBACK_SANDBOX_PORTS = '26000-26099';
const PORT_MAX = 65_535;

/** How laboratories reach the service, and where orders may be sent. */
export const laboratorySettings = {
  LAB_MLLP_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'Shared port for HL7 v2 messages (MLLP) of the production connections that the operator has put on it with ' +
        '`aliquot lab share`; 0 picks a free port. Disabled when unset.',
    ),
  LAB_MLLP_PORTS: portRange.describe(
    'Ports for laboratory connections of production teams by MLLP, such as `26100-26199`. Each connection gets one ' +
      'of its own, on which workers listen. Set it for all processes. Disabled when unset.',
  ),
  LAB_MLLP_SANDBOX_PORTS: portRange.describe(
    'The same for sandboxes. The ranges must not overlap. ' +
      `Default: ${LOOPBACK_SANDBOX_PORTS} if the address of the MLLP listeners is a loopback address, else none.`,
  ),
  LAB_MLLP_PORTS_PER_ORGANIZATION: z.coerce
    .number()
    .int()
    .min(1)
    .max(65_535)
    .default(20)
    .describe('Maximum number of those ports of one organization, those of deleted connections included.'),
  LAB_MLLP_HOST: z.string().min(1).optional().describe('Address of the MLLP listeners. Default: HOST.'),
  LAB_MLLP_TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file with the certificate of the MLLP listeners; enables TLS.'),
  LAB_MLLP_TLS_KEY: z.string().min(1).optional().describe('PEM file with the key of that certificate.'),
  LAB_MLLP_TLS_CA: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file with the authorities for client certificates, which are then required.'),
  LAB_MLLP_IDLE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('Seconds of inactivity after which an MLLP connection is closed.'),
  LAB_MLLP_CONNECTIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe('Maximum concurrent MLLP connections of all ports together.'),
  LAB_MLLP_CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(20)
    .describe(
      'Maximum concurrent MLLP connections of one IPv4 address or IPv6 /64 network. ' +
        'Raise it if all laboratories arrive through one proxy or VPN.',
    ),
  LAB_MESSAGE_LIMIT_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .max(50 * 1024 * 1024)
    .default(5 * 1024 * 1024)
    .describe('Maximum size in bytes of a laboratory message, over any transport.'),
  LAB_FOLDERS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder with a subfolder for each laboratory connection that exchanges files. Disabled when unset.',
    ),
  LAB_ALLOW_PRIVATE_HOSTS: flag
    .optional()
    .describe(
      'Whether orders may be sent to laboratories at private addresses, for example behind a VPN. Default: false; a sandbox may send to loopback addresses while HOST is one. Link-local and cloud metadata addresses are never allowed.',
    ),
};

/** The parsed laboratory settings, and those that their defaults depend on. */
type LaboratoryConfig = z.output<z.ZodObject<typeof laboratorySettings>> & {
  readonly HOST: string;
  readonly PORT: number;
};

/** An inclusive range of ports. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** The ports for connections of an environment; undefined if it has none. */
export function listenerPortsOf(
  config: Omit<LaboratoryConfig, 'PORT'>,
  environment: Environment,
): PortRange | undefined {
  if (environment === 'production') return parsePortRange(config.LAB_MLLP_PORTS);
  const isLoopback = isLoopbackHost(config.LAB_MLLP_HOST ?? config.HOST);
  return parsePortRange(config.LAB_MLLP_SANDBOX_PORTS ?? (isLoopback ? LOOPBACK_SANDBOX_PORTS : undefined));
}

export const isPortIn = (range: PortRange | undefined, port: number): boolean =>
  range !== undefined && port >= range.first && port <= range.last;

function parsePortRange(text: string | undefined): PortRange | undefined {
  if (text === undefined) return undefined;
  const [first, last] = text.split('-').map(Number);
  return first === undefined ? undefined : { first, last: last ?? first };
}

/** Errors in the combination of the laboratory settings. */
export function findLaboratoryErrors(config: LaboratoryConfig): string[] {
  const { LAB_MLLP_TLS_CERT: cert, LAB_MLLP_TLS_KEY: key, LAB_MLLP_TLS_CA: ca } = config;
  const isHalf = (cert === undefined) !== (key === undefined) || (ca !== undefined && cert === undefined);
  const tls = isHalf
    ? ['LAB_MLLP_TLS_CERT, LAB_MLLP_TLS_KEY: expected together, and both with LAB_MLLP_TLS_CA']
    : [];
  const production = listenerPortsOf(config, 'production');
  const sandbox = listenerPortsOf(config, 'sandbox');
  const overlap =
    production && sandbox && production.first <= sandbox.last && sandbox.first <= production.last
      ? ['LAB_MLLP_PORTS, LAB_MLLP_SANDBOX_PORTS: expected ranges that do not overlap']
      : [];
  return [
    ...tls,
    ...findRangeErrors(config, 'LAB_MLLP_PORTS', production),
    ...findRangeErrors(config, 'LAB_MLLP_SANDBOX_PORTS', sandbox),
    ...overlap,
  ];
}

function findRangeErrors(config: LaboratoryConfig, name: string, range: PortRange | undefined): string[] {
  if (!range) return [];
  if (range.first > range.last || range.last > PORT_MAX) {
    return [`${name}: expected a range that ends after its beginning, up to ${PORT_MAX}`];
  }
  const others = ['PORT', 'LAB_MLLP_PORT'] as const;
  return others
    .filter((other) => isPortIn(range, config[other] ?? 0))
    .map((other) => `${name}: expected a range without ${other}`);
}
