import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { listenerPortsOf } from './config-laboratories.ts';
import { ConfigError, readConfig } from './config.ts';

const easypost = {
  COURIER: 'easypost',
  EASYPOST_API_KEY: 'EZTK0123456789',
  EASYPOST_WEBHOOK_SECRET: 'sixteen-letters!',
  KIT_SENDER: 'Kit house; 1 Warehouse Way; Oakland; CA; 94607; +15105550100',
};

describe('the courier in the configuration', () => {
  it('defaults to none, and is EasyPost when all its settings are set', () => {
    expect(readConfig({}).COURIER).toBe('none');
    expect(readConfig(easypost)).toMatchObject({ ...easypost, EASYPOST_URL: 'https://api.easypost.com/v2/' });
  });

  it('names everything that is missing at once', () => {
    const message = [
      'The configuration has 3 mistake(s):',
      '  EASYPOST_API_KEY: expected, because COURIER is easypost',
      '  EASYPOST_WEBHOOK_SECRET: expected, because COURIER is easypost',
      '  KIT_SENDER: expected, because COURIER is easypost',
    ].join('\n');
    expect(() => readConfig({ COURIER: 'easypost' })).toThrow(
      new ConfigError(message.split('\n  ').slice(1)),
    );
  });

  // prettier-ignore
  const wrong: [string, string, string][] = [
    ['COURIER',                 'pigeon',               'Invalid option'],
    ['EASYPOST_API_KEY',        'sk_123',               'expected a key like EZAK'],
    ['EASYPOST_WEBHOOK_SECRET', 'short',                'expected at least 16 characters'],
    ['EASYPOST_URL',            'api.easypost.com',     'expected a URL that ends with a slash'],
    ['KIT_SENDER',              'Kit house, Oakland',   'expected "name; street; city; state; zip; phone"'],
    ['KIT_SENDER',              ';;;;;',                'expected "name; street; city; state; zip; phone"'],
    ['KIT_OUNCES',              '0',                    'Too small'],
  ];
  it.each(wrong)('refuses %s=%s', (name, value, expected) => {
    expect(() => readConfig({ ...easypost, [name]: value })).toThrow(`${name}: ${expected}`);
  });
});

describe('the public URL of the service', () => {
  it.each([
    'https://api.lab.example',
    'http://[::1]:8080',
    'http://localhost:3000',
    'https://lab.example/aliquot',
    'https://lab.example/health/aliquot-1.2',
  ])('is %s', (address) => expect(readConfig({ PUBLIC_URL: address }).PUBLIC_URL).toBe(address));

  // prettier-ignore
  it.each([
    ['PUBLIC_URL',           'https://api.lab.example:99999'],
    ['PUBLIC_URL',           'https://api.lab.example:0'],
    ['PUBLIC_URL',           'https://[::1'],
    ['PUBLIC_URL',           'https://%zz'],
    ['PUBLIC_URL',           'api.lab.example'],
    ['PUBLIC_URL',           'https://lab.example/'],
    ['PUBLIC_URL',           'https://lab.example/aliquot/'],
    ['PUBLIC_URL',           'https://lab.example//aliquot'],
    ['PUBLIC_URL',           'https://lab.example/a/../b'],
    ['PUBLIC_URL',           'https://lab.example/a;b'],
    ['PUBLIC_URL',           'https://lab.example/a?b=1'],
    ['DASHBOARD_URL',        'https://dash.example:99999/embed'],
    ['EASYPOST_URL',         'https://api.easypost.com:99999/v2/'],
    ['EXTRACTOR_URL',        'http://127.0.0.1:99999/v1/'],
    ['SMTP_URL',             'smtp://mail.example:99999'],
    ['SCHEDULING_QUEST_URL', 'https://quest.example:99999/'],
  ])('is reported once when it cannot be reached: %s=%s', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(
      new RegExp(`has 1 mistake\\(s\\):\\n  ${name}: expected [^\\n]*$`),
    );
  });
});

describe('the settings of the first start', () => {
  it('accept a team key of the served region only', () => {
    const key = 'sk_eu_0123456789abcdef';
    expect(readConfig({ REGION: 'eu', BOOTSTRAP_TEAM_API_KEY: key }).BOOTSTRAP_TEAM_API_KEY).toBe(key);
    expect(() => readConfig({ BOOTSTRAP_TEAM_API_KEY: key })).toThrow(
      'BOOTSTRAP_TEAM_API_KEY: expected a key that begins with sk_us_, because REGION is us',
    );
  });

  it.each(['postgres:///aliquot?host=/run/postgresql', 'postgresql://me:p%40ss@[::1]:5432/aliquot'])(
    'is the address of a database: %s',
    (address) => expect(readConfig({ DATABASE_URL: address }).DATABASE_URL).toBe(address),
  );

  it.each(['postgres://me@[::1', 'postgres://me@localhost:99999/aliquot'])(
    'is a mistake with a name where it is no address: %s',
    (address) =>
      expect(() => readConfig({ DATABASE_URL: address })).toThrow(/DATABASE_URL: expected postgres:/),
  );
});

describe('the ports of laboratories', () => {
  // prettier-ignore
  it.each<[string, Record<string, string>, RegExp]>([
    ['no ports',              { LAB_MLLP_PORTS: 'all' },                                                    /LAB_MLLP_PORTS: expected a port or a range/],
    ['a range backwards',     { LAB_MLLP_PORTS: '26200-26100' },                                            /LAB_MLLP_PORTS: expected a range that ends after/],
    ['a port that is none',   { LAB_MLLP_SANDBOX_PORTS: '65000-70000' },                                    /LAB_MLLP_SANDBOX_PORTS: expected a range that ends/],
    ['the port of the API',   { LAB_MLLP_PORTS: '3000-3010', PORT: '3005' },                                /LAB_MLLP_PORTS: expected a range without PORT/],
    ['the shared port',       { LAB_MLLP_PORTS: '2570-2580', LAB_MLLP_PORT: '2575' },                       /LAB_MLLP_PORTS: expected a range without LAB_MLLP_PORT/],
    ['ports of both',         { LAB_MLLP_PORTS: '2570-2580', LAB_MLLP_SANDBOX_PORTS: '2580' },              /expected ranges that do not overlap/],
    ['the default sandboxes', { LAB_MLLP_PORTS: '26050' },                                                  /expected ranges that do not overlap/],
  ])('cannot be %s', (_what, settings, message) => {
    expect(() => readConfig(settings)).toThrow(message);
  });

  // prettier-ignore
  it.each<[string, Record<string, string>, object | undefined]>([
    ['the range that is set',    { LAB_MLLP_SANDBOX_PORTS: '100-200', HOST: '0.0.0.0' },  { first: 100, last: 200 }],
    ['one port',                 { LAB_MLLP_SANDBOX_PORTS: '2575' },                      { first: 2575, last: 2575 }],
    ['a default on a laptop',    {},                                                      { first: 26_000, last: 26_099 }],
    ['none on a server',         { HOST: '0.0.0.0' },                                     undefined],
    ['none on a public address', { LAB_MLLP_HOST: '10.1.2.3' },                           undefined],
  ])('of sandboxes are %s', (_what, settings, range) => {
    expect(listenerPortsOf(readConfig(settings), 'sandbox')).toEqual(range);
  });

  it('of production are those that are set', () => {
    expect(listenerPortsOf(readConfig({}), 'production')).toBeUndefined();
  });
});

describe('a setting in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aliquot-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('is its content without the line end', () => {
    const url = 'postgres://aliquot:secret@db:5432/aliquot';
    expect(readConfig({ DATABASE_URL_FILE: file('url', `${url}\n`) }).DATABASE_URL).toBe(url);
    expect(readConfig({ DATABASE_URL_FILE: file('empty', '\n') }).DATABASE_URL).toBe(undefined);
  });

  it('is checked like any other, and named without its content', () => {
    const read = () =>
      readConfig({ PORT_FILE: file('port', 'seventy'), METRICS_TOKEN_FILE: file('t', 'short') });
    expect(read).toThrow(/^The configuration has 2 mistake\(s\):/);
    expect(read).not.toThrow(/short/);
  });

  it('cannot be set twice, and must be readable', () => {
    const missing = join(folder, 'missing');
    const read = () => readConfig({ PORT: '1', PORT_FILE: file('p', '2'), ENCRYPTION_KEY_FILE: missing });
    expect(read).toThrow('PORT_FILE: not expected, because PORT is set');
    expect(read).toThrow(`ENCRYPTION_KEY_FILE: ENOENT: no such file or directory, open '${missing}'`);
  });

  it('leaves the settings that are paths alone', () => {
    const tls = { TLS_CERT_FILE: '/c.pem', TLS_KEY_FILE: '/k.pem', PUBLIC_URL: 'https://a.example' };
    expect(readConfig(tls)).toMatchObject(tls);
  });
});
