import { z } from 'zod';
import { flag } from './config-flag.ts';

/** How laboratories reach the service, and where orders may be sent. */
export const laboratorySettings = {
  LAB_MLLP_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65535)
    .optional()
    .describe(
      'Port on which workers accept HL7 v2 messages from laboratories (MLLP); 0 picks a free port. Disabled when unset.',
    ),
  LAB_MLLP_HOST: z.string().min(1).optional().describe('Address of the MLLP listener. Default: HOST.'),
  LAB_MLLP_TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file with the certificate of the MLLP listener; enables TLS.'),
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
    .describe('Maximum concurrent MLLP connections.'),
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
