/**
 * The double as a process of its own: `node test/doubles/gcp/main.ts --port 7090`. Ends with
 * SIGTERM or SIGINT.
 */
import { parseArgs } from 'node:util';
import { startGcpDouble } from './double.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    /** How long an operation takes, in milliseconds. */
    'operation-ms': { type: 'string', default: '50' },
  },
});
const port = Number(values.port);
const runningMilliseconds = Number(values['operation-ms']);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  throw new Error(`--port: ${values.port} is not a port`);
}
if (!Number.isFinite(runningMilliseconds) || runningMilliseconds < 0) {
  throw new Error(`--operation-ms: ${values['operation-ms']} is not a time in milliseconds`);
}

const double = await startGcpDouble({ port, runningMilliseconds });
process.stdout.write(`${JSON.stringify({ url: double.url, tokenUrl: double.tokenUrl })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void double.close());
}
