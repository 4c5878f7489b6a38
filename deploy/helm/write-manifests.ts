/** `npm run manifests`: writes deploy/manifests from the chart. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireBinary } from '../local/binaries/acquire.ts';
import { manifests, plainManifests } from './render.ts';

const helm = await acquireBinary('helm', { report: (line) => console.log(`helm: ${line}`) });
await mkdir(manifests, { recursive: true });
for (const [name, text] of Object.entries(await plainManifests(helm))) {
  await writeFile(join(manifests, name), text);
  console.log(join(manifests, name));
}
