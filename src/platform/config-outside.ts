import { z } from 'zod';
import { address } from './config-address.ts';

/** How the service is reached from outside, and whom it asks there. */
export const outsideKeys = {
  PUBLIC_URL: address(
    /^https?:\/\/[^\s/?#@]+$/,
    'expected an address without path, as https://api.example.com',
  )
    .optional()
    .describe(
      'Where this service is reached from outside: links in e-mails, the addresses of requisitions in orders and those that providers are given begin with it. Default: http://HOST:PORT.',
    ),
  DASHBOARD_URL: address(
    /^https?:\/\/[^\s?#@]+$/,
    'expected an address as https://dashboard.example.com/embed',
  )
    .optional()
    .describe('The page that record systems are led to by create_dashboard_url; none without it.'),
  DNS_SERVERS: z
    .string()
    .regex(
      /^[\d.:a-fA-F[\]]+(,[\d.:a-fA-F[\]]+)*$/,
      'expected addresses as 192.0.2.53 or 192.0.2.53:53, by commas',
    )
    .transform((text) => text.split(','))
    .optional()
    .describe('Name servers that are asked for the TXT record of a domain. Default: those of the system.'),
};
