import { expect, it } from 'vitest';
import { isPublicAddress, isTargetAllowed, TARGET_SCOPES, webhookTargetScope } from './public-address.ts';
import { readConfig } from './config.ts';

// prettier-ignore
const closed = [
  '127.0.0.1', '127.8.9.10', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1',
  '100.100.100.200', '0.0.0.0', '0.1.2.3', '192.0.0.192', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255',
  '168.63.129.16', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '64:ff9b::7f00:1',
  '64:ff9b:1::1', '2002:7f00:1::', '2001::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1',
  '2001:db8::1', '4000::1', '[::1]', 'localhost', '', '3fff::1', '2001:10::1', '2001:20::1', '2001:2::1', '100::1', '5f00::1',
  '::ffff:0:127.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '239.255.255.255', '127.0.0.1.', '127.1',
];
const open = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '[2a00:1450::1]'];

it.each(closed)('does not accept %s as a public address', (address) =>
  expect(isPublicAddress(address)).toBe(false),
);
it.each(open)('accepts %s as a public address', (address) => expect(isPublicAddress(address)).toBe(true));

// prettier-ignore
const scoped: [string, string][] = [
  ['8.8.8.8',                'public loopback private'],
  ['127.0.0.1',              'loopback private'],
  ['127.8.9.10',             'loopback private'],
  ['::1',                    'loopback private'],
  ['[::1]',                  'loopback private'],
  ['::ffff:127.0.0.1',       'loopback private'],
  ['10.0.0.1',               'private'],
  ['172.31.255.255',         'private'],
  ['192.168.1.1',            'private'],
  ['::ffff:192.168.1.1',     'private'],
  ['100.64.0.1',             'private'],
  ['fc00::1',                'private'],
  ['169.254.169.254',        ''],
  ['::ffff:169.254.169.254', ''],
  ['fe80::1',                ''],
  ['fd00:ec2::254',          ''],
  ['fd20:ce::254',           ''],
  ['100.100.100.200',        ''],
  ['168.63.129.16',          ''],
  ['192.0.0.192',            ''],
  ['0.0.0.0',                ''],
  ['::',                     ''],
  ['224.0.0.1',              ''],
  ['255.255.255.255',        ''],
  ['127.0.0.1.',             ''],
  ['localhost',              ''],
];
it.each(scoped)('%s is a target in these scopes: %s', (address, scopes) =>
  expect(TARGET_SCOPES.filter((scope) => isTargetAllowed(address, scope)).join(' ')).toBe(scopes),
);

// prettier-ignore
it.each([
  [{},                                                            'loopback', 'public'],
  [{ HOST: 'localhost' },                                         'loopback', 'public'],
  [{ HOST: '::1' },                                               'loopback', 'public'],
  [{ HOST: '0.0.0.0' },                                           'public',   'public'],
  [{ HOST: '10.0.0.5' },                                          'public',   'public'],
  [{ ALLOW_PRIVATE_WEBHOOK_TARGETS: 'false' },                    'public',   'public'],
  [{ HOST: '0.0.0.0', ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' },    'private',  'private'],
])('with %o, a sandbox sends to %s addresses and production to %s ones', (settings, sandbox, production) => {
  const config = readConfig(settings);
  expect([webhookTargetScope(config, 'sandbox'), webhookTargetScope(config, 'production')]).toEqual([sandbox, production]);
});
