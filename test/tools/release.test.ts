/**
 * What the release does before it needs an account: each such step of the CI file, in a copy of the
 * repository that is ready for the next version.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { preparedBinary } from '../../deploy/local/binaries/acquire.ts';
import { runProgram } from '../../deploy/local/binaries/program.ts';
import { repository } from '../../deploy/local/layout.ts';
import { versions } from '../../deploy/local/versions.ts';
import manifest from '../../package.json' with { type: 'json' };
import { releasesIn, sectionOf } from '../../tools/release/changelog.ts';
import { basesIn, faultsOf } from '../../tools/release/check.ts';
import { notesOf } from '../../tools/release/notes.ts';
import { hasRecordings, keepRecordings } from '../../tools/release/recordings.ts';
import { changesOf, hashOf, readManifest } from '../replay/histories.ts';

interface Workflow {
  jobs: Record<string, { steps: { name?: string; uses?: string; run?: string }[] }>;
}

const workflow: Workflow = parse(
  await readFile(join(repository, '.github/workflows/release.yaml'), 'utf8'),
);
const commandsOf = (job: string): string[] =>
  (workflow.jobs[job]?.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : [run]));

/** Both commands with what the shell makes of them for a tag. */
function publishingOf(tag: string): string {
  const commands = ['npm', 'notes'].flatMap(commandsOf).map((command) => `echo ${command}`);
  const { stdout } = spawnSync('bash', ['-ec', commands.join('\n')], {
    encoding: 'utf8',
    env: { ...process.env, TAG: tag },
  });
  return stdout;
}

test('a version before a release becomes the newest neither of npm nor of the page of releases', () => {
  const release = publishingOf('v1.2.3');
  expect(release).toMatch(/^npm publish .* --tag latest$/m);
  expect(release).toMatch(/^gh release create v1.2.3 --verify-tag/m);
  const before = publishingOf('v1.2.3-rc.1');
  expect(before).toMatch(/^npm publish .* --tag next$/m);
  expect(before).toMatch(/^gh release create v1.2.3-rc.1 --prerelease /m);
});

describe('the steps before the first account', () => {
  let folder: string;
  let version: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-release-'));
    // With what is not committed yet.
    const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
    const files = await runProgram('git', ['-C', repository, ...list]);
    const copy = ['--archive', '--parents', ...files.trim().split('\n'), folder];
    await runProgram('cp', copy, { cwd: repository });
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    const next = ['version', '--no-git-tag-version', 'patch'];
    version = (await runProgram('npm', next, { cwd: folder })).trim().slice('v'.length);
    const changelog = join(folder, 'CHANGELOG.md');
    const text = await readFile(changelog, 'utf8');
    const heading = `## [Unreleased]\n\n## [${version}] - 2026-01-01\n\n- a change\n`;
    await writeFile(changelog, text.replace('## [Unreleased]\n', heading));
    keepRecordings(`v${version}`, join(folder, 'test/replay'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('all end well, or say that no advisory service answers', async () => {
    const commands = commandsOf('prepare');
    expect(commands[0]).toBe('npm ci');
    // The first would fetch what is there already.
    for (const command of commands.slice(1)) {
      const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', command], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
          TAG: `v${version}`,
          GITHUB_REPOSITORY: 'owner/millwright',
        },
      });
      const isUnanswered = stdout.startsWith('No advisory service answered');
      expect({ command, status: isUnanswered ? 0 : status, stderr }).toMatchObject({
        command,
        status: 0,
      });
    }
    const made = (await readdir(join(folder, 'release'))).toSorted();
    expect(made).toEqual(['SHA256SUMS', `millwright-${version}.tgz`, 'notes.md', 'sbom.cdx.json']);
    const notes = await readFile(join(folder, 'release/notes.md'), 'utf8');
    expect(notes).toMatch('## Supported versions');
  });

  test('the chart is packed with the digest of the image, and refused without', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await symlink(await preparedBinary('helm'), join(bin, 'helm'));
    const pack = (digest: string): (number | null)[] =>
      commandsOf('chart')
        .slice(0, 3)
        .map((command) => {
          const path = `${bin}${delimiter}${process.env['PATH']}`;
          const env = { ...process.env, PATH: path, TAG: `v${version}`, DIGEST: digest };
          return spawnSync('bash', ['-eo', 'pipefail', '-c', command], { cwd: folder, env }).status;
        });
    const meta = join(folder, 'deploy/helm/millwright/Chart.yaml');
    const before = await readFile(meta, 'utf8');
    expect(pack('')).toEqual([0, 0, 1]);
    await writeFile(meta, before);
    expect(pack(`sha256:${'a'.repeat(64)}`)).toEqual([0, 0, 0]);
  });
});

test('all other steps need an account or a program that this machine has not', () => {
  const jobs = Object.keys(workflow.jobs).filter((job) => job !== 'prepare');
  const commands = jobs.flatMap((job) => commandsOf(job).slice(job === 'chart' ? 3 : 0));
  expect(commands.length).toBeGreaterThan(5);
  const outside = /^(?:cosign (?:sign|login)|helm (?:registry|push)|npm publish|gh release) /;
  expect(commands.filter((command) => !outside.test(command))).toEqual([]);
});

test('a tag is refused unless version, changelog and NOTICE fit', () => {
  const tree = {
    version: '1.2.0',
    changelog: '',
    notice: 'a',
    wantedNotice: 'b',
    isRecorded: false,
    bases: basesIn('ARG NODE_IMAGE=node:24\nARG OTHER=1\n'),
  };
  expect(faultsOf('v1.2.1', tree)).toEqual([
    'tag v1.2.1: package.json has version 1.2.0',
    'CHANGELOG.md has no section "## [1.2.0] - YYYY-MM-DD" with text in it',
    'NOTICE is out of date: run "npm run licenses"',
    'test/replay/v1.2.1 has not all histories of the present code: run "npm run release -- v1.2.1"',
    'deploy/Dockerfile begins with node:24, which is no TAG@sha256:DIGEST: docs/releasing.md says how to find it',
  ]);
  const changelog = '# Changelog\n\n## [1.2.0] - 2026-01-01\n\n- a change\n';
  const bases = [`node:24@sha256:${'a'.repeat(64)}`];
  const ready = { ...tree, changelog, notice: 'b', isRecorded: true };
  expect(faultsOf('v1.2.0', { ...ready, bases })).toEqual([]);
  expect(faultsOf('v1.2.0', { ...ready, bases: [] })).toHaveLength(1);
});

test('the section of a version is found by its whole heading, and ends at the next', () => {
  const changelog =
    '## [1.2.0] - 2026-02-01\n\n- b\n\n## [1.1.0] - 2026-01-01\n\n- a\n\n## [1.0]\n';
  expect(sectionOf(changelog, '1.2.0')).toBe('- b');
  expect(sectionOf(changelog, '1.1.0')).toBe('- a');
  expect(sectionOf(changelog, '1.2')).toBeUndefined();
  expect(sectionOf(changelog, '1.0')).toBeUndefined();
});

test('notes have the changes and the table of supported versions', async () => {
  const supported = await readFile(join(repository, 'docs/supported-versions.md'), 'utf8');
  const notes = notesOf('1.2.0', '## [1.2.0] - 2026-02-01\n\n- b\n', supported);
  expect(notes).toMatch(/^- b\n\n## Supported versions\n\n\| what/);
  expect(() => notesOf('1.3.0', '', supported)).toThrow('CHANGELOG.md has no section of 1.3.0');
});

test('the table of supported versions has those that are tested', async () => {
  const supported = await readFile(join(repository, 'docs/supported-versions.md'), 'utf8');
  const rowOf = (name: string): string =>
    supported.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? '';
  expect(rowOf('Kubernetes')).toMatch(`| ${versions.kubernetes} `);
  expect(rowOf('Temporal server')).toMatch(`| ${versions.temporalServer}: `);
  expect(rowOf('Node.js')).toMatch(`| ${manifest.devDependencies.node}, `);
});

describe('the recorded histories', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millwright-recordings-'));
    await writeFile(join(folder, 'manifest.json'), '{}');
    await writeFile(join(folder, 'machine.json'), '{"events":[]}\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const manifestIn = async (): Promise<Record<string, string>> =>
    JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));

  test('are kept for each release as they are, with their hashes', async () => {
    expect(keepRecordings('v0.1.0', folder)).toEqual(['v0.1.0/machine.json']);
    expect(keepRecordings('v0.1.0', folder)).toEqual(['v0.1.0/machine.json']);
    await writeFile(join(folder, 'machine.json'), '{"events":[1]}\n');
    expect(() => keepRecordings('v0.1.0', folder)).toThrow(
      'v0.1.0 is kept already, with other histories: v0.1.0/machine.json',
    );
    keepRecordings('v0.2.0', folder);
    const released = await readFile(join(folder, 'v0.1.0/machine.json'), 'utf8');
    expect(released).toBe('{"events":[]}\n');
    const manifestNow = await manifestIn();
    expect(manifestNow['v0.1.0/machine.json']).toBe(hashOf(released));
    const held = { ...manifestNow, 'machine.json': 'any' };
    expect(changesOf(held, manifestNow)).toEqual([]);
    expect(() => keepRecordings('0.3.0', folder)).toThrow('allowed: a version like v0.2.0');
  });

  test('are whole after a run that was broken off, and the check knows when they are not', async () => {
    await mkdir(join(folder, 'v0.1.0'));
    await writeFile(join(folder, 'v0.1.0/machine.json'), '{"ev');
    expect(hasRecordings('v0.1.0', folder)).toBe(false);
    keepRecordings('v0.1.0', folder);
    expect(await readFile(join(folder, 'v0.1.0/machine.json'), 'utf8')).toBe('{"events":[]}\n');
    expect(hasRecordings('v0.1.0', folder)).toBe(true);
    // Recorded anew between the recordings and the tag.
    await writeFile(join(folder, 'machine.json'), '{"events":[1]}\n');
    expect(hasRecordings('v0.1.0', folder)).toBe(false);
  });

  test('are there for every release of the changelog', async () => {
    const changelog = await readFile(join(repository, 'CHANGELOG.md'), 'utf8');
    const kept = Object.keys(readManifest()).map((path) => path.split('/')[0]);
    const missing = releasesIn(changelog).filter((release) => !kept.includes(`v${release}`));
    expect(missing).toEqual([]);
    const two = '# C\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-02\n\n## [0.1.0] - 2026-01-01\n';
    expect(releasesIn(two)).toEqual(['0.2.0', '0.1.0']);
  });
});
