// Ends with 0 if the service of this container is ready. Its certificate is for the public name, so it is not checked.
import { get as getByHttp } from 'node:http';
import { get as getByHttps } from 'node:https';

const { PORT = '3000', PROBE_PORT, TLS_CERT_FILE } = process.env;
const isPlain = PROBE_PORT !== undefined || TLS_CERT_FILE === undefined;
const options = {
  host: '127.0.0.1',
  port: PROBE_PORT ?? PORT,
  path: '/readyz',
  timeout: 4000,
  rejectUnauthorized: false,
};
const request = (isPlain ? getByHttp : getByHttps)(options, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
request.on('error', () => process.exit(1));
request.on('timeout', () => process.exit(1));
