import { z } from 'zod';
import { reachableUrl } from './config-url.ts';

/** Settings for the public URL and for external systems. */
export const externalSettings = {
  PUBLIC_URL: reachableUrl(
    /^https?:\/\/[^\s/?#@]+(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
    'expected a URL such as https://api.example.com or https://example.com/aliquot, without a slash at its end',
  )
    .optional()
    .describe(
      'Public base URL of this service, used in e-mail links, in requisition URLs of orders and in URLs given to providers. With a path, the service is reached below it, whether or not the proxy strips it. Default: http://HOST:PORT.',
    ),
  DASHBOARD_URL: reachableUrl(
    /^https?:\/\/[^\s?#@]+$/,
    'expected a URL such as https://dashboard.example.com/embed',
  )
    .optional()
    .describe('Page that create_dashboard_url sends health record systems to. Disabled when unset.'),
  DNS_SERVERS: z
    .string()
    .regex(
      /^[\d.:a-fA-F[\]]+(,[\d.:a-fA-F[\]]+)*$/,
      'expected comma-separated addresses such as 192.0.2.53 or 192.0.2.53:53',
    )
    .transform((text) => text.split(','))
    .optional()
    .describe('Name servers for TXT record lookups, separated by commas. Default: those of the system.'),
};
