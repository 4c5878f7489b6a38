/**
 * Carries out the stages of a Dockerfile without a container engine: each has a folder, its own
 * root. The programs of this machine stand in for those of the images that it begins with.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chown, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { isRoot, startContainer } from './container.ts';
import type { Instruction, Stage } from './dockerfile.ts';
import type { Image } from './image.ts';

export interface Layout {
  stages: readonly Stage[];
  /** The build context. */
  context: string;
  /** An empty folder, in which the roots are made. */
  folder: string;
  /** The images that stages begin with: files of this machine, by the path that they have there. */
  images: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of what is started: where programs are looked for. */
  path: string;
}

/** Returns the last stage. */
export async function layOut(layout: Layout): Promise<Image> {
  const made = new Map<string, Image>();
  let last: Image | undefined;
  for (const [index, stage] of layout.stages.entries()) {
    const root = join(layout.folder, String(index));
    const base = made.get(stage.base);
    last = base ? await beginWith(base, root) : await beginWithImage(stage.base, root, layout);
    for (const instruction of stage.instructions) {
      last = await carryOut(instruction, last, { layout, made });
    }
    made.set(stage.name ?? '', last);
  }
  if (!last) throw new Error('the Dockerfile has no stage');
  return last;
}

async function beginWith(base: Image, root: string): Promise<Image> {
  await copyTree(base.root, root, { isLinked: true });
  return { ...base, root };
}

async function beginWithImage(name: string, root: string, layout: Layout): Promise<Image> {
  const files = layout.images[name];
  if (files === undefined) throw new Error(`FROM ${name}: nothing stands in for this image`);
  for (const folder of ['proc', 'dev', 'mnt']) await mkdir(join(root, folder), { recursive: true });
  for (const [path, source] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await runProgram('cp', ['--dereference', '--preserve=mode', source, join(root, path)]);
  }
  return {
    root,
    workdir: '/',
    user: undefined,
    env: {},
    entrypoint: [],
    cmd: [],
    stopSignal: undefined,
  };
}

/** Files of a stage are linked: stages add files and change none. */
async function copyTree(
  from: string,
  to: string,
  { isLinked }: { isLinked: boolean },
): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const how = ['--archive', ...(isLinked ? ['--link'] : []), '--no-target-directory'];
  await runProgram('cp', [...how, from, to]);
}

interface World {
  layout: Layout;
  made: ReadonlyMap<string, Image>;
}

async function carryOut(step: Instruction, image: Image, world: World): Promise<Image> {
  switch (step.kind) {
    case 'copy':
      await copy(step, image, world);
      return image;
    case 'run':
      await run(step.command, image, world.layout);
      return image;
    case 'workdir':
      await mkdir(join(image.root, step.path), { recursive: true });
      return { ...image, workdir: step.path };
    case 'user':
      return { ...image, user: step };
    case 'env':
      return { ...image, env: { ...image.env, ...step.values } };
    case 'entrypoint':
      return { ...image, entrypoint: step.words };
    case 'cmd':
      return { ...image, cmd: step.words };
    case 'stopsignal':
      return { ...image, stopSignal: step.signal };
  }
}

type Copy = Extract<Instruction, { kind: 'copy' }>;

async function copy(step: Copy, image: Image, { layout, made }: World): Promise<void> {
  const { from, owner, sources, target } = step;
  const root = from === undefined ? layout.context : made.get(from)?.root;
  if (root === undefined) throw new Error(`COPY --from=${from}: there is no such stage`);
  const to = join(image.root, resolve(image.workdir, target));
  for (const source of sources) {
    const path = join(root, source);
    const isFolder = (await stat(path)).isDirectory();
    // As Docker does: the contents of a folder, and a file under its name if the target is one.
    const isInto = !isFolder && (target.endsWith('/') || sources.length > 1);
    const end = isInto ? join(to, basename(source)) : to;
    await copyTree(path, end, { isLinked: from !== undefined });
    if (owner !== undefined && isRoot) await chownAll(end, owner);
  }
}

async function chownAll(path: string, owner: number): Promise<void> {
  await chown(path, owner, owner);
  if (!(await stat(path)).isDirectory()) return;
  for (const name of await readdir(path)) await chownAll(join(path, name), owner);
}

/**
 * With a shell: a stage that builds, with this machine's programs, in the folder that stands for
 * its working folder. Without: in the root alone, as the image is used later.
 */
async function run(
  command: string | readonly string[],
  image: Image,
  { path }: Layout,
): Promise<void> {
  if (typeof command !== 'string') {
    const wanted = { ...image, entrypoint: [], cmd: command };
    return await untilDone(startContainer(wanted, { isWritable: true }), command.join(' '));
  }
  const child = spawn('sh', ['-ec', command], {
    cwd: join(image.root, image.workdir),
    env: { ...process.env, ...image.env, NODE_OPTIONS: '', PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await untilDone(child, command);
}

/** Rejects with what it wrote to its standard error when it fails. */
async function untilDone(child: ChildProcess, command: string): Promise<void> {
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  child.stdout?.resume();
  const end = await new Promise((settle, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => settle(code ?? signal));
  });
  if (end !== 0) throw new Error(`${command} ended with ${String(end)}:\n${errors.join('')}`);
}
