/**
 * The driver in a process of its own, as in a worker: what it loads when, and where its requests
 * go. Prints JSON.
 */
import { createRequire } from 'node:module';
import { createGcpDriver } from '../../../../activities/drivers/gcp/driver.ts';
import { aRequest } from '../a-request.ts';

const { cache } = createRequire(import.meta.url);
const modules = (): number =>
  Object.keys(cache).filter((path) => path.includes('@google-cloud/compute')).length;

const [text = '{}'] = process.argv.slice(2);
const { providerSpec, secret } = JSON.parse(text);
const driver = createGcpDriver({ env: process.env, allowsAmbientCredentials: false });
const created = modules();
await driver.prepare?.();
const prepared = modules();
const request = aRequest('from-a-process', { providerSpec, secret });
const made = await driver.createInstance(request).then(
  ({ providerID }) => providerID,
  (error: unknown) => String(error),
);
process.stdout.write(JSON.stringify({ loaded: [created, prepared, modules()], made }));
process.exit();
