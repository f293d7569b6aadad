/** A handler that does nothing: what a flood costs the machine, without the service. Its port is in PORT. */
import { createServer } from 'node:http';
import { z } from 'zod';

const { PORT } = z.object({ PORT: z.coerce.number() }).parse(process.env);
const ANSWER = JSON.stringify({ text: 'x'.repeat(1000) });

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
});
server.listen(PORT, '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
