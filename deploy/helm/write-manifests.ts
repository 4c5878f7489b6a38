/** `npm run manifests`: writes deploy/manifests from the chart. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { preparedBinary } from '../local/binaries/acquire.ts';
import { prepare } from '../local/prepare/prepare.ts';
import { manifests, plainManifests } from './render.ts';

await prepare(['helm']);
const helm = await preparedBinary('helm');
await mkdir(manifests, { recursive: true });
for (const [name, text] of Object.entries(await plainManifests(helm))) {
  await writeFile(join(manifests, name), text);
  console.log(join(manifests, name));
}
