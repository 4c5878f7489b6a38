/**
 * The image of deploy/Dockerfile, whose stages are carried out here without a container engine: the
 * processes see its folder alone, cannot write to it, and run as its user. The arm64 image is
 * looked at by its files, as nothing here can start it.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { isRoot, startContainer } from '../../support/image/container.ts';
import { architectureOf, contentsOf } from '../../support/image/contents.ts';
import { layOutImage } from '../../support/image/millwright-image.ts';
import type { Image } from '../../support/image/image.ts';
import { build, contained, readableAccess, saidBy } from '../support/launches.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, deleteDeployment, untilRunning } from '../support/machines.ts';
import type { Access, Role } from '../support/operator.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

const run = promisify(execFile);
/** Of debian:trixie-slim, unpacked, rounded up: it is not here to be measured. */
const baseMegabytes = 85;
const mostMegabytes = 430;
/** Its number in the Dockerfile, if the tests may change users. */
const uid = isRoot ? 65_532 : process.getuid?.();

/** Its processes are started by what only Linux has, with the libraries of this machine. */
const isLinuxX64 = process.platform === 'linux' && process.arch === 'x64';

(isLinuxX64 ? describe : describe.skip)('the image (on Linux x64 only)', () => {
  let folder: string;
  let image: Image;
  let access: Record<Role, Access>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-image-'));
    await chmod(folder, 0o755);
    image = await layOutImage(join(folder, 'stages'));
    access = await readableAccess(join(folder, 'mounted'));
    if (!isRoot) console.log('without root, its processes run as the user of the tests');
  });
  const scenario = useScenario('image', {
    isDoubled: false,
    launch: (started) => contained(() => image, join(folder, 'mounted'))(started),
    watcherAccess: () => access.watcher,
    workerAccess: () => access.worker,
  });
  afterAll(() => rm(folder, { recursive: true }));
  const { cloud, operator } = scenario;

  test('brings up three machines and deletes them, as its own user and in its own folder', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 3 });
    await untilRunning(scenario, pool, 3);
    expect(await cloud.instances()).toHaveLength(3);
    for (const role of ['watcher', 'worker'] as const) {
      const pid = await pidOf(`${role}.js`, scenario.namespace);
      expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(`Uid:\t${uid}\t${uid}\t`);
    }
    await deleteDeployment(scenario, pool);
    expect(await cloud.instances()).toEqual([]);
    expect(operator.faults).toEqual([]);
  });

  test('has a driver that passes the checks of the built command', async () => {
    const out = await build('cli');
    try {
      const entrance = join(out, 'cli/millwright.js');
      const words = ['driver', 'verify', '--provider', 'virtual', '-o', 'json'];
      const env = { TEMPORAL_ADDRESS: testStack().temporalAddress };
      const where = ['-n', scenario.namespace];
      const printed = await saidBy(process.execPath, [entrance, ...words, ...where], env);
      expect(JSON.parse(printed)).toMatchObject({ isPassed: true, failed: 0 });
    } finally {
      await rm(out, { recursive: true });
    }
  });

  test('changes its log level by a signal that it can send itself', async () => {
    const pid = await pidOf('worker.js', scenario.namespace);
    // As `kubectl exec POD -- node -e` does it, with 1 for the process.
    expect(await said(['--eval', `process.kill(${pid}, 'SIGUSR2')`])).toBe('');
    await eventually('the worker says it', async () => {
      const log = await readFile(join(operator.logs, 'worker.log'), 'utf8');
      expect(log).toMatch(/"to":"debug",.*"msg":"another log level"/);
    });
  });

  test('cannot be written to, and finds its compiled code', async () => {
    const write = "require('node:fs').writeFileSync('/app/worker.js', '')";
    expect(await said(['--eval', write])).toMatch('EROFS');
    const trace = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const cached = await said(['worker.js', '--help'], trace);
    expect(cached).toMatch(/code cache for ESM file:\/\/\/app\/worker\.js was accepted/);
    expect(cached).not.toMatch('was rejected');
  });

  test('has every package that its code may load later', async () => {
    const { files } = await contentsOf(join(image.root, 'app'));
    const texts = await Promise.all(
      files
        .filter((file) => /^[^/]+\.js$/.test(file) && file !== 'workflow-bundle.js')
        .map((file) => readFile(join(image.root, 'app', file), 'utf8')),
    );
    const names = texts
      .flatMap((text) => [...text.matchAll(/(?:\bfrom |^import |\bimport\()"([^"]+)"/gm)])
      .map(([, name = '']) => name)
      // The last is loaded by a thread alone, and each scenario does.
      .filter((name) => !/^(?:\.|node:)|workflow-worker-thread/.test(name));
    expect(names).toContain('@google-cloud/compute/build/src/v1/instances_client.js');
    const load = `for (const name of ${JSON.stringify([...new Set(names)])}) await import(name)`;
    expect(await said(['--input-type=module', '--eval', load])).toBe('');
  });

  test('has the certificates, licenses and settings that it needs, and no shell', async () => {
    const { files } = await contentsOf(image.root);
    expect(files).toContain('app/NOTICE');
    expect(files).toContain('app/LICENSE');
    expect(files).toContain('usr/local/LICENSE');
    const certificates = join(image.root, 'etc/ssl/certs/ca-certificates.crt');
    expect(await readFile(certificates, 'utf8')).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    expect(files.filter((file) => /(?:^|\/)(?:sh|bash|npm)$/.test(file))).toEqual([]);
    expect(image).toMatchObject({ stopSignal: 'SIGTERM', cmd: ['worker.js'], workdir: '/app' });
  });

  test(`takes at most ${mostMegabytes} MB unpacked`, async () => {
    const { megabytes } = await contentsOf(image.root);
    console.log(`${Math.round(megabytes)} MB, and ${baseMegabytes} MB of the base`);
    // The stand-ins for the base, a few megabytes of libraries, are counted twice.
    expect(megabytes + baseMegabytes).toBeLessThan(mostMegabytes);
  });

  test('has native files for its platform alone', async () => {
    const modules = await modulesFor('arm64', join(folder, 'arm64'));
    expect(await platformsOf(join(image.root, 'app/node_modules'))).toEqual(['amd64', 'amd64']);
    expect(await platformsOf(modules)).toEqual(['arm64', 'arm64']);
  });

  /** What it prints, also when it fails. */
  async function said(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
    const child = startContainer(image, { args, env });
    const parts: string[] = [];
    child.stdout?.on('data', (part: Buffer) => parts.push(part.toString()));
    child.stderr?.on('data', (part: Buffer) => parts.push(part.toString()));
    await new Promise((settle) => child.once('close', settle));
    return parts.join('');
  }
});

/** Of the process that node itself is, and not of the programs that started it. */
async function pidOf(entrance: string, namespace: string): Promise<string> {
  const pattern = `^node .*${entrance} .*--namespace=${namespace} `;
  const { stdout } = await run('pgrep', ['-f', pattern]);
  return stdout.trim();
}

/** Of Temporal's native part and of swc. */
async function platformsOf(modules: string): Promise<(string | undefined)[]> {
  const { files } = await contentsOf(modules);
  const native = files.filter((file) => file.endsWith('.node'));
  return await Promise.all(native.map((file) => architectureOf(join(modules, file))));
}

/** As the stage `modules` makes them. */
async function modulesFor(architecture: string, folder: string): Promise<string> {
  await mkdir(folder);
  for (const file of ['package.json', 'package-lock.json']) {
    await copyFile(join(repository, file), join(folder, file));
  }
  await cp(join(repository, 'tools/image'), join(folder, 'tools/image'), { recursive: true });
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`;
  await runProgram(process.execPath, ['tools/image/modules.ts', architecture], {
    cwd: folder,
    env: { PATH: path, NODE_OPTIONS: '' },
  });
  return join(folder, 'node_modules');
}
