/** deploy/gardener fits what gardenlet makes; test/e2e/gardener/gardener.test.ts runs it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { nodeFlags } from '../../../deploy/local/components/operator.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { writePrograms } from '../../../tools/build/processes.ts';
import { readCommandLine } from '../../../workers/config/config.ts';
import { mcmNames } from '../../../workers/config/mcm-name.ts';
import { preparedPython } from '../../../deploy/local/prepare/python.ts';

interface Container {
  name: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value: string }[];
  resources: { requests: { memory: string } };
}

interface PodSpec {
  kind?: string;
  spec: { template: { spec: { containers: Container[] } } };
}

interface Policy {
  containerName: string;
  mode?: string;
  minAllowed?: { memory: string };
}

const folder = join(repository, 'deploy/gardener');
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');
const fixture = readFileSync(
  join(repository, 'test/fixtures/gardener/control-plane.yaml'),
  'utf8',
).replaceAll('NAMESPACE', 'shoot--a--b');
const ofGardenlet = parseAllDocuments(fixture)
  .map((document): PodSpec => document.toJS())
  .filter(({ kind }) => kind === 'Deployment')
  .flatMap(({ spec }) => spec.template.spec.containers);
const pod: PodSpec = parse(textOf('pod-patch.yaml'));
const patched = pod.spec.template.spec.containers;
const vpa: { spec: { resourcePolicy: { containerPolicies: Policy[] } } } = parse(
  textOf('vpa-patch.yaml'),
);
const policies = vpa.spec.resourcePolicy.containerPolicies;

interface Rights {
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
}

/** `verb resource` of our own group, in all Roles of a manifest but those of people. */
function rightsOnPolicies(manifest: string): string[] {
  const rules = parseAllDocuments(manifest)
    .map((document): Rights => document.toJS())
    .flatMap((object) => object.rules ?? [])
    .filter(
      ({ apiGroups, verbs }) => apiGroups.includes('millwright.dev') && !verbs.includes('create'),
    );
  const rights = rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  return [...new Set(rights)].toSorted();
}

describe('what is added inside Gardener', () => {
  test('gives the rights on DisruptionPolicies that the chart gives', () => {
    const ofChart = readFileSync(join(repository, 'deploy/manifests/install.yaml'), 'utf8');
    expect(rightsOnPolicies(textOf('policies-role.yaml'))).toEqual(rightsOnPolicies(ofChart));
  });

  test('patches the containers that are there, both alike but for memory', () => {
    expect(patched.map(({ name }) => name)).toEqual(ofGardenlet.map(({ name }) => name));
    expect(patched[0]?.env).toEqual(patched[1]?.env);
  });

  test('has VPA begin with what the pod asks for', () => {
    const least = policies.filter(({ mode }) => mode !== 'Off');
    expect(least.map(({ containerName, minAllowed }) => [containerName, minAllowed])).toEqual(
      patched.map(({ name, resources }) => [name, resources.requests]),
    );
  });

  test.each(['watcher', 'worker'] as const)(
    'gives a %s that knows every flag, and takes its variables',
    (component) => {
      const at = component === 'watcher' ? 0 : 1;
      const { command = [''], args = [] } = ofGardenlet[at] ?? {};
      // Files that are in the pod only.
      const argv = [...command.slice(1), ...args].filter(
        (word) => !word.startsWith('--target-kube'),
      );
      const variables = patched[at]?.env?.map(({ name, value }) => [name, value]) ?? [];
      const env = Object.fromEntries(variables);
      const read = readCommandLine({ component, argv, env, isNamedAsMcm: true });
      expect(read).toMatchObject({
        config: {
          namespaces: { kind: 'one', name: 'shoot--a--b' },
          install: { clusterId: 'seed-eu-1', clusterName: 'seed-eu-1' },
          temporal: { address: 'temporal-frontend.millwright-system.svc:7233' },
          http: { port: component === 'watcher' ? 10_258 : 10_259 },
          shutdownGraceSeconds: 4,
          // Secrets of shoots with a workload identity name the file of its token.
          drivers: { allowsTokenFiles: true },
        },
      });
    },
  );

  test.each(['deploy/gardener/Dockerfile', 'docs/gardener.md'])(
    'puts into an image, by the example of %s, the flags that the patch gives a pod',
    (file) => {
      const example = readFileSync(join(repository, file), 'utf8');
      const [, flags] = /--build-arg MILLWRIGHT_FLAGS='([^']+)'/.exec(example) ?? [];
      const ofPatch = patched[1]?.env?.find(({ name }) => name === 'MILLWRIGHT_FLAGS');
      expect(flags?.replaceAll('SEED', 'seed-eu-1')).toBe(ofPatch?.value);
    },
  );

  test('has an image that begins with the worker, and the manager by the name of its command', async () => {
    const dockerfile = textOf('Dockerfile');
    expect(dockerfile).toContain(`ENTRYPOINT ["/app/${mcmNames.worker}"]`);
    expect(ofGardenlet[0]?.command?.[0]).toBe(`./${mcmNames.watcher}`);
    const names = patched[0]?.env?.map(({ name }) => name) ?? [];
    for (const name of names) expect(dockerfile).toContain(`${name}=\${${name}}`);
  });

  test('has an image that hadolint finds nothing wrong with', async () => {
    const hadolint = join(dirname(await preparedPython('hadolint')), 'hadolint');
    const file = join(folder, 'Dockerfile');
    await expect(runProgram(hadolint, ['--failure-threshold=info', file])).resolves.toBe('');
  });
});

test('the programs by the names of MCM run the entrances with the flags of the image', async () => {
  const made = await mkdtemp(join(repository, 'test/deploy/gardener/.made-'));
  try {
    await writePrograms(made);
    const script = `#!/usr/bin/env -S node ${nodeFlags.join(' ')} --disable-sigusr1\n`;
    for (const [entrance, name] of Object.entries(mcmNames)) {
      expect(await readFile(join(made, name), 'utf8')).toBe(
        `${script}import './${entrance}.js';\n`,
      );
    }
  } finally {
    await rm(made, { recursive: true });
  }
});
