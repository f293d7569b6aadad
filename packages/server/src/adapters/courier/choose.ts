import type { Config } from '../../platform/config.ts';
import { easyPostCourier } from './easypost.ts';
import type { Courier, PostalAddress } from './port.ts';

/** The production courier from the configuration; undefined if none is configured. */
export function createCourier(config: Config): Courier | undefined {
  const { EASYPOST_API_KEY: apiKey, EASYPOST_WEBHOOK_SECRET: webhookSecret, KIT_SENDER: sender } = config;
  if (config.COURIER !== 'easypost') return undefined;
  if (apiKey === undefined || webhookSecret === undefined || sender === undefined) return undefined;
  return easyPostCourier({
    apiKey,
    webhookSecret,
    url: config.EASYPOST_URL,
    sender: readSender(sender),
    kitOunces: config.KIT_OUNCES,
  });
}

/** Parses `name; street; city; state; zip; phone`, which the configuration has validated. */
function readSender(line: string): PostalAddress {
  const [name = '', street = '', city = '', state = '', zip = '', phone = ''] = line
    .split(';')
    .map((part) => part.trim());
  return { name, street, secondLine: null, city, state, zip, country: 'US', phone };
}
