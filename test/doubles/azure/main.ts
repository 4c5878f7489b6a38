/**
 * The double as a process of its own: `node test/doubles/azure/main.ts --port N --ca-file F
 * [--operation-milliseconds N]`.
 */
import { parseArgs } from 'node:util';
import { startAzureDouble } from './server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'ca-file': { type: 'string' },
    'operation-milliseconds': { type: 'string', default: '1000' },
  },
});
const caFile = values['ca-file'];
const double = await startAzureDouble({
  port: Number(values.port),
  operationMilliseconds: Number(values['operation-milliseconds']),
  ...(caFile !== undefined && { caFile }),
});
const { url, application, world } = double;
// One line, for whoever started it.
process.stdout.write(
  `${JSON.stringify({ url, caFile: double.caFile, application, subscription: world.subscription })}\n`,
);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void double.close().then(() => process.exit(0));
  });
}
